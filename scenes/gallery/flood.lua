-- A wall of water floods a little town, which is drawn in a text file, voxel by voxel.
local resolution = param("resolution", 40) -- cells a metre

scene { title = "A town floods", fluid = "liquid", cell = 1 / resolution, duration = 3, fps = 24 }

walls { min = {0, 0, 0}, max = {2.8, 0.75, 1.5}, right = "open", top = "open" }
fill { shape = box { min = {0, 0, 0}, max = {0.45, 0.6, 1.5} } }
obstacle { shape = voxels { file = "meshes/town.txt", scale = 0.1 }, color = {0.72, 0.5, 0.38} }

camera { position = {4.1, 2.2, 3.1}, target = {1.35, 0.1, 0.8}, field_of_view = deg(33) }
light { direction = {0.3, 1, 0.6}, color = {1, 0.96, 0.88}, intensity = 1.5 }
light { direction = {-0.8, 0.5, -0.2}, color = {0.6, 0.75, 1}, intensity = 0.4 }
look { show_walls = true, sky = "day", background = {0.55, 0.62, 0.68}, ground = {0.28, 0.29, 0.3}, water_color = {0.3, 0.5, 0.55}, water_absorption = 5 }

output { movie = true }
