-- A spout fills a basin of glass: the jet falls on its parabola, strikes the floor and then the water that it has brought.
local resolution = param("resolution", 80) -- cells a metre

scene { title = "A spout fills a basin", fluid = "liquid", cell = 1 / resolution, duration = 6, fps = 24 }

walls { min = {-0.5, 0, -0.25}, max = {0.5, 0.75, 0.25}, top = "open" }

obstacle { shape = cylinder { from = {-0.6, 0.6, 0}, to = {-0.36, 0.6, 0}, radius = 0.09 }, color = {0.35, 0.33, 0.3} }
emitter { shape = disc { center = {-0.35, 0.6, 0}, normal = {1, 0, 0}, radius = 0.07 }, velocity = {1.5, 0, 0},
          stop = 5 }

camera { position = {0.6, 0.95, 1.7}, target = {0, 0.25, 0}, field_of_view = deg(38) }
light { direction = {-0.4, 1, 0.5} }
light { direction = {0.8, 0.5, -0.3}, color = {0.6, 0.75, 1}, intensity = 0.4 }

look { show_walls = true, background = {0.3, 0.33, 0.37}, ground = {0.42, 0.42, 0.43}, ambient_light = 0.4 }

output { movie = true }
