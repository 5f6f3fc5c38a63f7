-- A match that is blown out: its head burns, a breath comes from the left and tears the flame off, the head cools and gives off no more gas,
-- and smoke drifts away. (fire.quench needs finer cells for so small a flame.)
local resolution = param("resolution", 80) -- cells a metre

scene { title = "A match is blown out", fluid = "fire", cell = 1 / resolution, frames = 72, fps = 30 }
walls { min = {-0.15, 0, -0.125}, max = {0.375, 0.5625, 0.125}, left = "open", right = "open", back = "open", front = "open", top = "open" }
fire { fuel = { name = "wood_gas", soot = 6, flame_speed = 0.2, density_products = 0.45 }, rise = 0.06, cooling = 5000, confinement = 2,
       buoyancy_heat = 0.006, dissipation = 0.2 }

obstacle { shape = capsule { from = {0, -0.05, 0}, to = {0, 0.14, 0}, radius = 0.012 }, color = {0.75, 0.6, 0.42} }
emitter { shape = sphere { center = {0, 0.16, 0}, radius = 0.028 }, fuel = 1, stop = 1.2 }
emitter { shape = sphere { center = {0, 0.155, 0}, radius = 0.018 }, density = 1.5, temperature = 420, start = 1.25 } -- it smoulders
pump { shape = box { min = {-0.15, 0.1, -0.08}, max = {-0.09, 0.26, 0.08} }, velocity = {1.4, 0, 0}, start = 1.0, stop = 1.5 }

camera { position = {0.08, 0.26, 0.74}, target = {0.05, 0.22, 0} }
light { direction = {-0.5, 1, 0.3}, color = {0.5, 0.65, 1}, intensity = 0.35 }
look { ambient_light = 0.1, background = {0.03, 0.035, 0.05}, smoke_color = {0.6, 0.6, 0.6}, fire_brightness = 0.9, core_brightness = 0.5, absorption = 40 }
