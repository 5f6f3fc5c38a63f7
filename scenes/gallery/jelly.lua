-- A cube of jelly falls onto a plate, bounces and wobbles until it rests.
local resolution = param("resolution", 110) -- cells a metre

scene { title = "Jelly", fluid = "liquid", cell = 1 / resolution, frames = 96, fps = 24, cfl = 1, dt_max = 0.01 }

walls { min = {-0.2, 0, -0.2}, max = {0.2, 0.4, 0.2} } -- it slides on the plate, and leaves it
liquid { elastic = { modulus = 4000 }, viscosity = 0.002, density = 1050 }
fill { shape = box { min = {-0.07, 0.14, -0.07}, max = {0.07, 0.28, 0.07} }, color = {0.95, 0.12, 0.16} }

camera { position = {0.36, 0.32, 0.62}, target = {0, 0.09, 0}, field_of_view = deg(32) }
look { water_absorption = 18 }
output { movie = true }
