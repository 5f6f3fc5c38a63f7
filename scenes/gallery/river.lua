-- A river runs through a valley, a height map, in at one end and out at the other, around stones.
local resolution = param("resolution", 40) -- cells a metre
local depth, speed = 0.24, 0.6

scene { title = "A river through a valley", fluid = "liquid", cell = 1 / resolution, duration = 6, fps = 24 }

walls {
    min = {0, 0, 0}, max = {4, 0.75, 1.5},
    left = { kind = "inflow", velocity = {speed, 0, 0}, part = box { min = {-0.1, 0, 0}, max = {0.1, depth, 1.5} } },
    right = "outflow", top = "open",
}
obstacle { shape = translate { heightmap { file = "meshes/valley.pgm", scale = 4.2 / 127, height = 0.6 }, by = {-0.1, 0, -0.027} },
           color = {0.42, 0.38, 0.26} }
fill { shape = box { min = {0, 0, 0}, max = {4, depth, 1.5} }, velocity = {speed, 0, 0} }

camera { position = {4.6, 2.1, 3.2}, target = {2.1, 0.1, 0.7}, field_of_view = deg(38) }
light { direction = {-0.5, 1, 0.6} }
light { direction = {0.8, 0.4, -0.3}, color = {0.6, 0.75, 1}, intensity = 0.4 }

output { movie = true }
