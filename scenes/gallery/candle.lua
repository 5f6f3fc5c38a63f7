-- A candle: the wick is hot, the wax around it melts, overflows and sets on its way down.
local resolution = param("resolution", 220) -- cells a metre

scene { title = "A candle", fluid = "liquid", cell = 1 / resolution, frames = 96, fps = 24 }

walls { min = {-0.06, 0, -0.06}, max = {0.06, 0.13, 0.06}, slip = 0, top = "open",
        left = "open", right = "open", back = "open", front = "open", bottom = { temperature = 285 } }
-- A hundred times as fast as wax conducts, so that minutes pass in seconds.
liquid { viscosity = 5e-4, density = 900, heat_capacity = 2500,
         melt = { solid = 318, liquid = 330, viscosity_solid = 300, conductivity = 2e-5, heat_transfer = 4000 } }
fill { shape = cylinder { from = {0, 0, 0}, to = {0, 0.085, 0}, radius = 0.024 }, temperature = 296,
       color = {0.95, 0.86, 0.68} }
obstacle { shape = capsule { from = {0, 0.074, 0}, to = {0, 0.1, 0}, radius = 0.005 }, temperature = 520, slip = 0,
           color = {0.12, 0.09, 0.07} }

camera { position = {0.1, 0.16, 0.22}, target = {0, 0.052, 0}, field_of_view = deg(32) }
light { direction = {-0.5, 1, 0.4} }
look { water_absorption = 300, ground = {0.3, 0.28, 0.26} }
output { movie = true }
