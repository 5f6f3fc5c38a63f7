-- Two columns of water at opposite corners of a tank meet in its middle and throw up a sheet.
local resolution = param("resolution", 64) -- cells a metre

scene { title = "Double dam break", fluid = "liquid", cell = 1 / resolution, duration = 5, fps = 24 }

walls { min = {0, 0, 0}, max = {1.5, 1.5, 1.5} }

fill { shape = box { min = {0, 0, 0}, max = {0.5, 0.75, 0.5} } }
fill { shape = box { min = {1, 0, 1}, max = {1.5, 0.75, 1.5} } }

camera { position = {2.6, 1.6, 3.4}, target = {0.75, 0.5, 0.75}, field_of_view = deg(40) }
light { direction = {-0.5, 1, 0.6} }
light { direction = {0.8, 0.4, -0.3}, color = {0.6, 0.75, 1}, intensity = 0.4 }

output { movie = true }
