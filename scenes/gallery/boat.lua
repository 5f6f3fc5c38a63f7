-- A boat is driven through a pool: its hull, a triangle mesh, pushes a bow wave and leaves a wake.
local resolution = param("resolution", 40) -- cells a metre
local speed = 1.1

scene { title = "A boat in a pool", fluid = "liquid", cell = 1 / resolution, duration = 3.5, fps = 24 }

walls { min = {0, 0, 0}, max = {5, 0.8, 1.8} }
fill { shape = box { min = {0, 0, 0}, max = {5, 0.4, 1.8} } }

-- It starts gently.
obstacle {
    shape = mesh { file = "meshes/hull.obj", scale = 1 },
    motion = { position = function(t) return {0.8 + speed * (t < 1 and t * t / 2 or t - 0.5), 0.38, 0.9} end },
    color = {0.75, 0.3, 0.2},
}

camera { position = {4.3, 1.5, 3}, target = {2.4, 0.3, 0.8}, field_of_view = deg(40) }
light { direction = {-0.5, 1, 0.6} }
light { direction = {0.8, 0.4, -0.3}, color = {0.6, 0.75, 1}, intensity = 0.4 }

output { movie = true }
