-- A river runs through a valley, a height map, in at one end and out at the other: over two ledges, around stones.
local resolution = param("resolution", 48) -- cells a metre
local top, depth, speed = 0.37, 0.14, 0.7

scene { title = "A river through a valley", fluid = "liquid", cell = 1 / resolution, duration = 6, fps = 24 }

walls {
    min = {0, 0, 0}, max = {4, 0.875, 1.5},
    left = { kind = "inflow", velocity = {speed, 0, 0}, part = box { min = {-0.1, top, 0}, max = {0.1, top + depth, 1.5} } },
    right = "outflow", top = "open",
}
obstacle { shape = translate { heightmap { file = "meshes/valley.pgm", scale = 1 / 53, height = 0.9 }, by = {-0.18, 0, -0.04} },
           color = {0.43, 0.4, 0.33} }
-- It comes out of a culvert, whose roof and end hide where it begins.
obstacle {
    shape = union { box { min = {-0.17, top + depth + 0.05, -0.03}, max = {0.16, top + depth + 0.12, 1.515} },
                    box { min = {-0.17, 0, -0.03}, max = {-0.12, top + depth + 0.12, 1.515} } },
    color = {0.55, 0.54, 0.52},
}
-- A pool above each ledge and one below.
fill { shape = box { min = {0, 0, 0}, max = {1.02, top + depth, 1.5} }, velocity = {speed, 0, 0} }
fill { shape = box { min = {1.02, 0, 0}, max = {2.42, top - 0.06, 1.5} }, velocity = {speed, 0, 0} }
fill { shape = box { min = {2.42, 0, 0}, max = {4, top - 0.24, 1.5} }, velocity = {speed, 0, 0} }

camera { position = {4.75, 1.8, 2.9}, target = {2.12, 0.1, 0.72}, field_of_view = deg(36) }
light { direction = {-0.4, 0.9, 0.55}, color = {1, 0.96, 0.88}, intensity = 1.5 }
light { direction = {0.8, 0.4, -0.3}, color = {0.6, 0.75, 1}, intensity = 0.4 }
look { sky = "day", background = {0.55, 0.62, 0.68}, ground = {0.32, 0.33, 0.32}, water_color = {0.25, 0.6, 0.62}, water_absorption = 5 }

output { movie = true }
