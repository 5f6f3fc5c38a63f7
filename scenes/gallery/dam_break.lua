-- A column of water, let go at one end of a glass tank, runs along the floor, splits at a post and climbs the far wall.
local resolution = param("resolution", 64) -- cells a metre

scene { title = "Dam break", fluid = "liquid", cell = 1 / resolution, duration = 5, fps = 24 }

walls { min = {0, 0, 0}, max = {2, 2, 1}, top = "open" }

fill { shape = box { min = {0, 0, 0}, max = {0.5, 0.75, 1} } }

obstacle { shape = box { min = {1.15, -0.1, 0.42}, max = {1.31, 0.6, 0.58} }, color = {0.75, 0.36, 0.22} }

camera { position = {2.35, 1.45, 3.35}, target = {1.03, 0.55, 0.5}, field_of_view = deg(40) }
light { direction = {-0.5, 1, 0.6} }
light { direction = {0.8, 0.4, -0.3}, color = {0.6, 0.75, 1}, intensity = 0.4 }

look { show_walls = true, background = {0.3, 0.33, 0.37}, ground = {0.42, 0.42, 0.43}, ambient_light = 0.4 }

output { movie = true }
