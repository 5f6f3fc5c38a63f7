-- A cube of jelly falls onto the edge of a plate, which cuts it in two; the halves fall to its sides and wobble.
local resolution = param("resolution", 80) -- cells a metre

scene { title = "A jelly is cut", fluid = "liquid", cell = 1 / resolution, frames = 72, fps = 24, cfl = 1, dt_max = 0.01 }

walls { min = {-0.4, 0, -0.25}, max = {0.4, 0.6, 0.25} }
liquid { elastic = { modulus = 4000 }, viscosity = 0.002, density = 1050 }
fill { shape = box { min = {-0.08, 0.31, -0.08}, max = {0.08, 0.47, 0.08} }, color = {0.95, 0.12, 0.16} }
local edge = rotate { box { min = {-0.01, -0.01, -0.13}, max = {0.01, 0.01, 0.13} }, axis = {0, 0, 1}, angle = deg(45) }
obstacle { shape = union { box { min = {-0.014, -0.1, -0.13}, max = {0.014, 0.22, 0.13} }, translate { edge, by = {0, 0.22, 0} } },
           color = {0.7, 0.74, 0.78} }

camera { position = {0.26, 0.36, 0.78}, target = {0, 0.13, 0}, field_of_view = deg(36) }
light { direction = {-0.5, 1, 0.35}, color = {1, 0.96, 0.9} }
light { direction = {0.8, 0.5, -0.6}, color = {0.8, 0.88, 1}, intensity = 0.45 }
look { water_absorption = 14, background = {0.62, 0.66, 0.7}, ground = {0.66, 0.62, 0.57}, ambient_light = 0.5 }
output { movie = true }
