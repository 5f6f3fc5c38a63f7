-- Warm chocolate is poured over a ball and sets where it has run.
local resolution = param("resolution", 200) -- cells a metre

scene { title = "Chocolate", fluid = "liquid", cell = 1 / resolution, frames = 120, fps = 24 }

walls { min = {-0.14, 0, -0.14}, max = {0.14, 0.3, 0.14}, slip = 0, top = "open",
        left = "open", right = "open", back = "open", front = "open", bottom = { temperature = 290 } }
liquid { viscosity = 3e-3, density = 1300, heat_capacity = 1600,
         melt = { solid = 300, liquid = 307, viscosity_solid = 30, conductivity = 2e-5 } }
obstacle { shape = sphere { center = {0, 0.07, 0}, radius = 0.07 }, temperature = 298, slip = 0, color = {0.85, 0.62, 0.38} }
emitter { shape = disc { center = {0.005, 0.27, 0}, normal = {0, -1, 0}, radius = 0.018 }, velocity = {0, -0.35, 0}, stop = 3,
          temperature = 313, color = {0.32, 0.15, 0.07} }

camera { position = {0.27, 0.25, 0.45}, target = {0, 0.1, 0}, field_of_view = deg(31) }
light { direction = {-0.5, 1, 0.4}, color = {1, 0.96, 0.9} }
light { direction = {0.8, 0.4, -0.3}, color = {0.8, 0.88, 1}, intensity = 0.4 }
look { water_absorption = 900, background = {0.6, 0.57, 0.54}, ground = {0.75, 0.7, 0.63}, ambient_light = 0.45 }
output { movie = true }
