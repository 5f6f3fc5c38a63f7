-- A cube of jelly falls onto the edge of a plate, which cuts it in two; the halves fall to its sides and wobble.
local resolution = param("resolution", 80) -- cells a metre

scene { title = "A jelly is cut", fluid = "liquid", cell = 1 / resolution, frames = 72, fps = 24, cfl = 1, dt_max = 0.01 }

walls { min = {-0.3, 0, -0.2}, max = {0.3, 0.6, 0.2} }
liquid { elastic = { modulus = 2000 }, viscosity = 0.002, density = 1050 }
fill { shape = box { min = {-0.08, 0.35, -0.08}, max = {0.08, 0.51, 0.08} }, color = {0.95, 0.12, 0.16} }
local edge = rotate { box { min = {-0.01, -0.01, -0.13}, max = {0.01, 0.01, 0.13} }, axis = {0, 0, 1}, angle = deg(45) }
obstacle { shape = union { box { min = {-0.014, -0.1, -0.13}, max = {0.014, 0.22, 0.13} }, translate { edge, by = {0, 0.22, 0} } },
           color = {0.7, 0.74, 0.78} }

camera { position = {0.2, 0.42, 0.86}, target = {0, 0.15, 0}, field_of_view = deg(36) }
look { water_absorption = 18 }
output { movie = true }
