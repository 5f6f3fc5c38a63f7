-- A tank at rest, a ball on its floor. Nothing should happen, and nothing does: the surface stays flat.
local resolution = param("resolution", 64) -- cells a metre

scene { title = "Tank at rest", fluid = "liquid", cell = 1 / resolution, duration = 4, fps = 24 }

walls { min = {0, 0, 0}, max = {1, 0.75, 1} }

fill { shape = box { min = {0, 0, 0}, max = {1, 0.4, 1} } }

obstacle { shape = sphere { center = {0.5, 0.14, 0.5}, radius = 0.15 }, color = {0.75, 0.36, 0.22} }

camera { position = {1.5, 1.0, 2.0}, target = {0.5, 0.25, 0.5}, field_of_view = deg(40) }
light { direction = {-0.5, 1, 0.6} }
light { direction = {0.8, 0.4, -0.3}, color = {0.6, 0.75, 1}, intensity = 0.4 }

look { show_walls = true }

output { movie = true }
