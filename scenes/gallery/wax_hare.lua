-- A hare of wax on a hot plate: it melts from its feet up, runs over the edge, and sets on the cold plate below.
local resolution = param("resolution", 180) -- cells a metre

scene { title = "A hare of wax melts and sets", fluid = "liquid", cell = 1 / resolution, frames = 288, fps = 24 }

walls { min = {-0.15, 0, -0.1}, max = {0.15, 0.15, 0.1}, slip = 0, top = "open",
        left = "open", right = "open", back = "open", front = "open", bottom = { temperature = 275 } }
-- Some hundred times as fast as wax conducts, so that minutes pass in seconds.
liquid { viscosity = 5e-3, density = 900, heat_capacity = 2500,
         melt = { solid = 318, liquid = 340, viscosity_solid = 300, conductivity = 2.5e-5, heat_transfer = 100 } }
obstacle { shape = cylinder { from = {0, -0.02, 0}, to = {0, 0.012, 0}, radius = 0.056 }, temperature = 420, slip = 0,
           color = {0.5, 0.16, 0.1} }
fill { shape = translate { mesh { file = "meshes/hare.obj", scale = 0.11 }, by = {0, 0.012, 0} }, temperature = 296,
       color = {0.93, 0.83, 0.62} }

camera { position = {0.15, 0.13, 0.26}, target = {0, 0.045, 0}, field_of_view = deg(34) }
light { direction = {-0.5, 1, 0.4}, color = {1, 0.96, 0.9} }
light { direction = {0.8, 0.4, -0.3}, color = {0.8, 0.88, 1}, intensity = 0.4 }
look { water_absorption = 500, background = {0.5, 0.54, 0.58}, ground = {0.5, 0.5, 0.48}, ambient_light = 0.4 }
output { movie = true }
