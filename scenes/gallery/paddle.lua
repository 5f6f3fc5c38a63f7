-- A paddle stirs a round glass pan of water: a solid that turns, slower at the end than in between.
local resolution = param("resolution", 80) -- cells a metre

scene { title = "A stirring paddle", fluid = "liquid", cell = 1 / resolution, duration = 6, fps = 24 }

-- The pan, of glass.
obstacle {
    shape = difference {
        cylinder { from = {0, -0.02, 0}, to = {0, 0.3, 0}, radius = 0.445 },
        cylinder { from = {0, 0, 0}, to = {0, 0.31, 0}, radius = 0.42 },
    },
    color = {0.9, 0.95, 0.96}, glass = true,
}
fill { shape = cylinder { from = {0, 0, 0}, to = {0, 0.13, 0}, radius = 0.42 } }

-- A shaft with two blades.
obstacle {
    shape = union {
        cylinder { from = {0, 0.03, 0}, to = {0, 0.5, 0}, radius = 0.025 },
        box { min = {-0.3, 0.03, -0.02}, max = {0.3, 0.15, 0.02} },
    },
    motion = { spin = function(t) return {0, 4 * math.min(1, t, 0.5 * (6 - t)), 0} end },
    color = {0.8, 0.45, 0.2},
}

camera { position = {0.5, 0.62, 1.25}, target = {0, 0.14, 0}, field_of_view = deg(40) }
light { direction = {-0.5, 1, 0.6} }
light { direction = {0.8, 0.4, -0.3}, color = {0.6, 0.75, 1}, intensity = 0.4 }

output { movie = true, width = 960, height = 540 } -- water behind glass takes a while to draw
