-- Two columns of water at opposite corners of a glass tank meet in its middle and throw up a sheet.
local resolution = param("resolution", 64) -- cells a metre

scene { title = "Double dam break", fluid = "liquid", cell = 1 / resolution, duration = 5, fps = 24 }

walls { min = {0, 0, 0}, max = {1.5, 2.5, 1.5}, top = "open" }

fill { shape = box { min = {0, 0, 0}, max = {0.5, 0.75, 0.5} } }
fill { shape = box { min = {1, 0, 1}, max = {1.5, 0.75, 1.5} } }

camera { position = {3, 1.9, 3.9}, target = {0.75, 0.72, 0.75}, field_of_view = deg(40) }
light { direction = {-0.5, 1, 0.6} }
light { direction = {0.8, 0.4, -0.3}, color = {0.6, 0.75, 1}, intensity = 0.4 }

look { show_walls = true, background = {0.3, 0.33, 0.37}, ground = {0.42, 0.42, 0.43}, ambient_light = 0.4 }

output { movie = true }
