-- A boat is driven through a pool: its hull, a triangle mesh, pushes a bow wave and leaves a wake.
local resolution = param("resolution", 40) -- cells a metre
local speed = 1.9 -- m/s: .6 of the speed of a wave as long as the hull is

scene { title = "A boat in a pool", fluid = "liquid", cell = 1 / resolution, duration = 3, fps = 24 }

walls { min = {0, 0, 0}, max = {5, 0.7, 2}, top = "open" }
fill { shape = box { min = {0, 0, 0}, max = {5, 0.36, 2} } }

-- A rim of stone around the pool, just outside of its walls.
obstacle {
    shape = difference { box { min = {-0.16, -0.1, -0.16}, max = {5.16, 0.47, 2.16} },
                         box { min = {0, -0.2, 0}, max = {5, 0.8, 2} } },
    color = {0.62, 0.6, 0.56},
}

-- It starts gently.
obstacle {
    shape = mesh { file = "meshes/hull.obj", scale = 1 },
    motion = { position = function(t) return {0.7 + speed * (t < 1 and t * t / 2 or t - 0.5), 0.36, 1} end },
    color = {0.62, 0.22, 0.16},
}

camera { position = {4.9, 1.15, 2.6}, target = {2.85, 0.22, 0.97}, field_of_view = deg(35) }
light { direction = {0.2, 0.8, 0.6}, color = {1, 0.96, 0.88}, intensity = 1.5 }
light { direction = {0.8, 0.4, -0.3}, color = {0.6, 0.75, 1}, intensity = 0.4 }
look { sky = "day", water_color = {0.12, 0.5, 0.66}, water_absorption = 2.5, background = {0.55, 0.62, 0.68}, ground = {0.32, 0.33, 0.32} }

output { movie = true }
