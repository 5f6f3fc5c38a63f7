-- Honey, cold and very thick, coils onto a plate.
local resolution = param("resolution", 200) -- cells a metre

scene { title = "Honey coils", fluid = "liquid", cell = 1 / resolution, frames = 144, fps = 24 }

walls { min = {-0.16, 0, -0.16}, max = {0.16, 0.36, 0.16}, slip = 0,
        left = "open", right = "open", back = "open", front = "open", top = "open" }
liquid { viscosity = 0.4, density = 1420 }
emitter { shape = disc { center = {0, 0.34, 0}, normal = {0, -1, 0}, radius = 0.018 }, velocity = {0, -0.3, 0},
          color = {0.97, 0.5, 0.05} }

camera { position = {0.32, 0.4, 0.56}, target = {0, 0.13, 0}, field_of_view = deg(34) }
look { water_absorption = 40 }
output { movie = true }
