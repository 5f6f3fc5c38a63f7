-- Smoke pushed by a moving, turning mesh: a spinning propeller sinks into a layer of cold smoke and throws it up.
local n = param("resolution", 64) -- cells a metre

scene { title = "Smoke pushed by a propeller", fluid = "smoke", cell = 1 / n, frames = 72, fps = 24 }
walls { min = {-0.5, 0, -0.5}, max = {0.5, 2.4, 0.5}, top = "open" }
fill { shape = cylinder { from = {0, 0.52, 0}, to = {0, 0.74, 0}, radius = 0.42 }, density = 1 }
smoke { buoyancy_weight = 0.05, confinement = 0.2, envelope = 0.1 }
obstacle {
    shape = mesh { file = "meshes/propeller.obj", scale = 0.36 },
    motion = { position = function(t) return {0, 0.98 - 0.13 * t, 0} end, spin = {0, 9, 0} },
    color = {0.85, 0.55, 0.25},
}
camera { position = {1.5, 1.4, 2.2}, target = {0, 0.72, 0} }
output { movie = true }
