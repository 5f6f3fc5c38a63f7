-- A jet fills a glass: a triangle mesh with walls as thick as a cell, which hold the water.
local resolution = param("resolution", 150) -- cells a metre: the glass is ten centimetres wide

scene { title = "A jet fills a glass", fluid = "liquid", cell = 1 / resolution, duration = 3.5, fps = 24 }

obstacle { shape = mesh { file = "meshes/glass.obj", scale = 1 }, color = {0.8, 0.85, 0.85} }
obstacle { shape = box { min = {-0.5, -0.1, -0.5}, max = {0.5, 0, 0.5} }, color = {0.45, 0.36, 0.28} }
emitter { shape = disc { center = {-0.01, 0.22, 0}, normal = {0.1, -1, 0}, radius = 0.013 }, velocity = {0.08, -0.8, 0}, stop = 2.2 }

camera { position = {0.16, 0.36, 0.24}, target = {0, 0.1, 0}, field_of_view = deg(38) }
light { direction = {-0.4, 1, 0.5} }
light { direction = {0.8, 0.5, -0.3}, color = {0.6, 0.75, 1}, intensity = 0.4 }

output { movie = true }
