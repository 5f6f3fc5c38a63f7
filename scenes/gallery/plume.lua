-- Warm smoke rises from a low vent, curls around a ball and drifts off. The floor is a wall, the other sides are open; the
-- envelope lets tiles live only around the smoke, so the wide box costs nothing where it is empty.
local resolution = param("resolution", 64) -- cells a metre

scene {
    title = "Plume past a ball",
    fluid = "smoke",
    cell = 1 / resolution,
    duration = 5,
    fps = 24,
}

walls {
    min = {-1.25, 0, -1.25}, max = {1.25, 2.5, 1.25},
    left = "open", right = "open", back = "open", front = "open", top = "open",
}

smoke { envelope = 0.1, confinement = 0.15, cooling = 0.3, buoyancy_weight = 0.1, wind = {0.1, 0, 0} }

-- A flat vent whose breath wavers, so that the plume does not stay a straight column.
emitter {
    shape = cylinder { from = {0, 0.03, 0}, to = {0, 0.1, 0}, radius = 0.11 },
    density = 1,
    temperature = function(t) return 365 + 20 * noise(0, 0, 0, 1.5 * t) end,
    velocity = function(t) return {0.15 * noise(7, 0, 0, t), 0.5, 0.15 * noise(0, 7, 0, t)} end,
    noise = { amplitude = 0.7, size = 0.07, speed = 2 },
}

obstacle {
    shape = sphere { center = {0, 0, 0}, radius = 0.13 },
    motion = { position = {0.03, 0.7, 0.02} },
    color = {0.75, 0.36, 0.22},
}

camera { position = {1.2, 1.35, 3.3}, target = {0.05, 1.1, 0}, field_of_view = deg(40) }
light { direction = {-0.6, 1, 0.7} }
light { direction = {0.8, 0.3, -0.4}, color = {0.6, 0.75, 1}, intensity = 0.4 }

output { movie = true }
