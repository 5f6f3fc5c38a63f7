-- A candle whose wick is hot: a pool of wax melts around it, runs over where the rim is low and sets on its way down.
local resolution = param("resolution", 260) -- cells a metre

scene { title = "A candle", fluid = "liquid", cell = 1 / resolution, frames = 144, fps = 24 }

walls { min = {-0.05, 0, -0.05}, max = {0.05, 0.13, 0.05}, slip = 0, top = "open",
        left = "open", right = "open", back = "open", front = "open", bottom = { temperature = 285 } }
-- It conducts and cools some hundred times as fast as wax does, so that an hour passes in seconds.
liquid { viscosity = 2e-4, density = 900, heat_capacity = 2500,
         melt = { solid = 322, liquid = 332, viscosity_solid = 300, conductivity = 6e-5, heat_transfer = 450 } }
obstacle { shape = cylinder { from = {0, -0.02, 0}, to = {0, 0.008, 0}, radius = 0.04 }, temperature = 290, slip = 0,
           color = {0.45, 0.5, 0.56} }
fill { shape = difference { cylinder { from = {0, 0.008, 0}, to = {0, 0.1, 0}, radius = 0.0165 },
                            sphere { center = {0, 0.112, 0}, radius = 0.0165 },
                            sphere { center = {0.006, 0.1, 0.0175}, radius = 0.0115 },
                            sphere { center = {-0.0165, 0.104, 0.004}, radius = 0.0105 } },
       temperature = 300, color = {0.95, 0.89, 0.76} }
obstacle { shape = capsule { from = {0, 0.079, 0}, to = {0, 0.114, 0}, radius = 0.0034 }, temperature = 900, slip = 0,
           color = {0.12, 0.09, 0.07} }

camera { position = {0.05, 0.15, 0.24}, target = {0, 0.058, 0}, field_of_view = deg(29) }
light { direction = {-0.8, 0.9, 0.5}, color = {1, 0.94, 0.86} }
light { direction = {0.9, 0.5, -0.2}, color = {0.75, 0.85, 1}, intensity = 0.4 }
look { water_absorption = 1500, background = {0.42, 0.4, 0.4}, ground = {0.5, 0.42, 0.35}, ambient_light = 0.4 }
output { movie = true }
