-- A splash without walls: a ball of water bursts in a bowl, and what leaps over its rim runs off over the floor. Cells are there only
-- where water is, wherever it flies.
local resolution = param("resolution", 64) -- cells a metre

scene { title = "Splash in a bowl", fluid = "liquid", cell = 1 / resolution, duration = 3, fps = 24 }

fill { shape = sphere { center = {0.1, 1.2, 0}, radius = 0.26 }, velocity = {0, -1, 0} }

-- The lower half of a hollow ball, on a foot.
obstacle {
    shape = union {
        intersection {
            difference {
                sphere { center = {0, 0.75, 0}, radius = 0.62 },
                sphere { center = {0, 0.75, 0}, radius = 0.54 },
            },
            plane { point = {0, 0.75, 0}, normal = {0, 1, 0} },
        },
        cylinder { from = {0, 0, 0}, to = {0, 0.18, 0}, radius = 0.2 },
    },
    color = {0.75, 0.36, 0.22},
}
obstacle { shape = box { min = {-4, -0.5, -4}, max = {4, 0, 4} }, color = {0.3, 0.31, 0.33} }

camera { position = {1.5, 1.9, 2.9}, target = {0, 0.65, 0}, field_of_view = deg(42) }
light { direction = {-0.5, 1, 0.6} }
light { direction = {0.8, 0.4, -0.3}, color = {0.6, 0.75, 1}, intensity = 0.4 }

output { movie = true }
