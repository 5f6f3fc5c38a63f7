-- A chimney in a cross wind, without a box: the plume costs what the plume costs, however far it drifts.
local resolution = param("resolution", 32) -- cells a metre

scene { title = "Chimney in a cross wind", fluid = "smoke", cell = 1 / resolution, duration = 6, fps = 24 }

-- Gusts, always from the left.
smoke {
    wind = function(t) return {1.3 + 0.35 * noise(0, 0, 0, 0.7 * t), 0, 0.25 * noise(3, 0, 0, 0.5 * t)} end,
    envelope = 0.25, confinement = 0.15, cooling = 0.25, dissipation = 0.02, buoyancy_weight = 0.1,
}

obstacle {
    shape = difference {
        cone { from = {0, -2, 0}, to = {0, 6, 0}, radius = 0.42 },
        cylinder { from = {0, 0.9, 0}, to = {0, 9, 0}, radius = 5 },
    },
    color = {0.62, 0.32, 0.24},
}
emitter {
    shape = cylinder { from = {0, 0.92, 0}, to = {0, 1.05, 0}, radius = 0.2 },
    density = 1,
    temperature = function(t) return 370 + 20 * noise(0, 2, 0, 1.3 * t) end,
    velocity = function(t) return {0.1 * noise(9, 0, 0, t), 1.2, 0.1 * noise(0, 9, 0, t)} end,
    noise = { amplitude = 0.6, size = 0.12, speed = 2 },
}

camera { position = {3.4, 1.1, 8.2}, target = {3.1, 1.9, 0}, field_of_view = deg(44) }
light { direction = {-0.3, 1, 0.7} }
light { direction = {1, 0.4, -0.4}, color = {0.6, 0.75, 1}, intensity = 0.4 }

output { movie = true }
