-- A candle: its wick is hot, the wax around it melts to a pool, runs out through notches in the rim and sets on its way down.
local resolution = param("resolution", 200) -- cells a metre

scene { title = "A candle", fluid = "liquid", cell = 1 / resolution, frames = 192, fps = 24 }

walls { min = {-0.075, 0, -0.075}, max = {0.075, 0.125, 0.075}, slip = 0, top = "open",
        left = "open", right = "open", back = "open", front = "open", bottom = { temperature = 285 } }
-- A thousand times as fast as wax conducts, and as much heat to the air, so that an hour passes in seconds.
liquid { viscosity = 4e-4, density = 900, heat_capacity = 2500,
         melt = { solid = 318, liquid = 330, viscosity_solid = 300, conductivity = 1e-4, heat_transfer = 1500 } }
fill { shape = difference { cylinder { from = {0, 0, 0}, to = {0, 0.085, 0}, radius = 0.025 },
                            sphere { center = {0.017, 0.087, 0.017}, radius = 0.013 },
                            sphere { center = {-0.02, 0.089, 0.014}, radius = 0.013 } },
       temperature = 302, color = {0.93, 0.84, 0.66} }
obstacle { shape = capsule { from = {0, 0.068, 0}, to = {0, 0.1, 0}, radius = 0.0055 }, temperature = 800, slip = 0,
           color = {0.1, 0.08, 0.07} }

camera { position = {0.04, 0.2, 0.17}, target = {0, 0.052, 0}, field_of_view = deg(32) }
light { direction = {-0.9, 0.8, 0.25} }
light { direction = {0.9, 0.5, -0.2}, color = {1, 0.8, 0.6}, intensity = 0.5 }
look { water_absorption = 1500, ground = {0.26, 0.27, 0.3} }
output { movie = true }
