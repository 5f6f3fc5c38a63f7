-- A jet fills a glass: a triangle mesh with walls as thick as a cell, which hold the water and are drawn as glass.
local resolution = param("resolution", 200) -- cells a metre: the glass is eleven centimetres wide

scene { title = "A jet fills a glass", fluid = "liquid", cell = 1 / resolution, duration = 3.5, fps = 24 }

walls { min = {-0.3, 0, -0.3}, max = {0.3, 0.4, 0.3}, left = "open", right = "open", back = "open", front = "open",
        top = "open" }
obstacle { shape = mesh { file = "meshes/glass.obj", scale = 1 }, glass = true, color = {0.93, 0.97, 0.95} }
emitter { shape = disc { center = {-0.012, 0.26, 0}, normal = {0.1, -1, 0}, radius = 0.012 }, velocity = {0.08, -0.8, 0},
          stop = 1.85 }

camera { position = {0.11, 0.19, 0.4}, target = {0, 0.1, 0}, field_of_view = deg(34) }
light { direction = {-0.5, 0.9, 0.3} }
light { direction = {0.8, 0.5, -0.4}, color = {0.6, 0.75, 1}, intensity = 0.5 }
look { ground = {0.42, 0.33, 0.26}, water_color = {0.45, 0.75, 0.85}, water_absorption = 8 }

output { movie = true }
