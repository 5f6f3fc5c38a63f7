-- A warm jet of smoke blown in from the left bends upwards as its heat wins over its speed: figure 2 of Fedkiw, "Simulating Natural
-- Phenomena for Computer Graphics".
local resolution = param("resolution", 64) -- cells a metre

scene { title = "Warm jet", fluid = "smoke", cell = 1 / resolution, duration = 4, fps = 24 }

walls {
    min = {0, 0, -0.625}, max = {2.5, 1.75, 0.625},
    left = "open", right = "open", back = "open", front = "open", bottom = "wall", top = "open",
}

smoke { envelope = 0.1, confinement = 0.1, buoyancy_weight = 0.1 }

-- The air behind a nozzle is never still: without this the jet stays smooth until it is a metre away.
force {
    field = "turbulence", strength = 7, scale = 0.07, speed = 12,
    shape = cylinder { from = {0, 0.45, 0}, to = {0.3, 0.45, 0}, radius = 0.12 },
}
emitter {
    falloff = 0.03,
    shape = cylinder { from = {0, 0.45, 0}, to = {0.12, 0.45, 0}, radius = 0.09 },
    density = 1,
    temperature = function(t) return 350 + 15 * noise(0, 0, 0, 2 * t) end,
    velocity = function(t) return {2.2 + 0.3 * noise(5, 0, 0, 3 * t), 0, 0.1 * noise(0, 5, 0, 2 * t)} end,
    noise = { amplitude = 0.6, size = 0.06, speed = 3 },
}

camera { position = {1.25, 0.95, 3.6}, target = {1.1, 0.85, 0}, field_of_view = deg(38) }
light { direction = {-0.5, 1, 0.6} }
light { direction = {0.9, 0.2, -0.5}, color = {0.65, 0.8, 1}, intensity = 0.4 }

output { movie = true }
