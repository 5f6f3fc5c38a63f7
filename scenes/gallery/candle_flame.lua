-- A candle's flame at its real size: gas comes off the wick and burns in a drop a few centimetres tall, dark around the wick, blue at its
-- root, yellow above. Still air and the viscosity of hot gas hold it steady.
local resolution = param("resolution", 720) -- cells a metre

scene { title = "A candle's flame", fluid = "fire", cell = 1 / resolution, frames = 36, fps = 24 }
walls { min = {-0.025, 0, -0.025}, max = {0.025, 0.125, 0.025}, left = "open", right = "open", back = "open", front = "open", top = "open" }
-- Air gets to the gas of a candle by diffusion, so that it burns more slowly than a mixture; hot gas is as viscous as 2e-4 m^2/s.
fire { fuel = { name = "petrol", flame_speed = 0.12, density_products = 0.2, temperature_max = 1900, soot = 5 },
       rise = 0.014, cooling = 45000, viscosity = 2e-4, dissipation = 45 }

obstacle { shape = cylinder { from = {0, -0.01, 0}, to = {0, 0.03, 0}, radius = 0.011 }, color = {0.85, 0.8, 0.68} } -- wax
obstacle { shape = capsule { from = {0, 0.028, 0}, to = {0, 0.038, 0}, radius = 0.001 }, color = {0.12, 0.1, 0.09} } -- the wick
emitter { shape = cylinder { from = {0, 0.034, 0}, to = {0, 0.039, 0}, radius = 0.0035 }, fuel = 1, velocity = {0, 0.4, 0} }

camera { position = {0.02, 0.075, 0.17}, target = {0, 0.052, 0} }
light { direction = {-0.5, 1, 0.6}, color = {0.6, 0.7, 1}, intensity = 0.25 }
light { direction = {0.6, 0.5, 1}, color = {1, 0.75, 0.5}, intensity = 0.2 }
look { ambient_light = 0.04, background = {0.015, 0.018, 0.025}, fire_brightness = 3, core_brightness = 0.45, absorption = 400 }
