-- Warm smoke rises from a low vent, curls around a ball and leaves through the open top.
local resolution = param("resolution", 64) -- cells a metre

scene {
    title = "Plume past a ball",
    fluid = "smoke",
    cell = 1 / resolution,
    duration = 5,
    fps = 24,
}

walls { min = {-0.5, 0, -0.5}, max = {0.5, 2, 0.5}, top = "open" }

smoke { confinement = 0.3, cooling = 0.2, buoyancy_weight = 0.2 }

-- A flat vent whose breath wavers, so that the plume does not stay a straight column.
emitter {
    shape = cylinder { from = {0, 0.04, 0}, to = {0, 0.12, 0}, radius = 0.14 },
    density = 1,
    temperature = function(t) return 390 + 25 * noise(0, 0, 0, 1.5 * t) end,
    velocity = function(t) return {0.15 * noise(7, 0, 0, t), 0.6, 0.15 * noise(0, 7, 0, t)} end,
    noise = { amplitude = 0.4, size = 0.06, speed = 2 },
}

obstacle {
    shape = sphere { center = {0, 0, 0}, radius = 0.16 },
    motion = { position = {0.04, 0.85, 0.02} },
    color = {0.75, 0.36, 0.22},
}

light { direction = {-0.6, 1, 0.7} }
light { direction = {0.8, 0.3, -0.4}, color = {0.6, 0.75, 1}, intensity = 0.4 }

output { movie = true }
