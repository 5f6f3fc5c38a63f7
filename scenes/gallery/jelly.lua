-- A cube of jelly falls onto a plate, bounces and wobbles until it rests.
local resolution = param("resolution", 110) -- cells a metre

scene { title = "Jelly", fluid = "liquid", cell = 1 / resolution, frames = 96, fps = 24, cfl = 1, dt_max = 0.01 }

walls { min = {-0.2, 0, -0.2}, max = {0.2, 0.4, 0.2} } -- it slides on the plate, and leaves it
liquid { elastic = { modulus = 4000 }, viscosity = 0.002, density = 1050 }
fill { shape = box { min = {-0.07, 0.14, -0.07}, max = {0.07, 0.28, 0.07} }, color = {0.95, 0.12, 0.16} }

camera { position = {0.31, 0.26, 0.53}, target = {0, 0.07, 0}, field_of_view = deg(30) }
light { direction = {-0.5, 1, 0.35}, color = {1, 0.96, 0.9} }
light { direction = {0.8, 0.5, -0.6}, color = {0.8, 0.88, 1}, intensity = 0.45 }
look { water_absorption = 14, background = {0.62, 0.66, 0.7}, ground = {0.66, 0.62, 0.57}, ambient_light = 0.5 }
output { movie = true }
