-- Smoke pushed by a moving, turning mesh: a propeller swings over a vent, draws the plume up and throws it apart.
local resolution = param("resolution", 64) -- cells a metre

scene { title = "Smoke pushed by a propeller", fluid = "smoke", cell = 1 / resolution, frames = 72, fps = 24 }
walls {
    min = {-1.125, 0, -1.125}, max = {1.125, 2.625, 1.125},
    left = "open", right = "open", back = "open", front = "open", top = "open",
}
smoke { buoyancy_weight = 0.1, confinement = 0.15, envelope = 0.15, cooling = 0.2 }
emitter {
    shape = cylinder { from = {0, 0.02, 0}, to = {0, 0.08, 0}, radius = 0.1 },
    density = 1, temperature = 360, velocity = {0, 0.7, 0},
    noise = { amplitude = 0.6, size = 0.06, speed = 2 },
}
obstacle {
    shape = mesh { file = "meshes/propeller.obj", scale = 0.34 },
    motion = { position = function(t) return {0.25 * math.sin(1.2 * t), 0.75, 0} end, spin = {0, 22, 0} },
    color = {0.85, 0.5, 0.2},
}
camera { position = {0.7, 1.3, 3.5}, target = {0, 0.92, 0}, field_of_view = deg(36) }
light { direction = {-0.5, 1, 0.7} }
light { direction = {0.9, 0.25, -0.4}, color = {0.65, 0.8, 1}, intensity = 0.4 }
output { movie = false, images = false }
