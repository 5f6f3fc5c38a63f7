-- A match that is blown out: its head gives off gas, which burns with a blue root, until a breath from the left strains the flame by more
-- than it can bear (fire.quench). It goes out, the head cools and gives off no more gas, and smoke drifts away. --set breath=0 lets it burn.
local resolution, breath = param("resolution", 160), param("breath", 3) -- cells a metre, m/s

scene { title = "A match is blown out", fluid = "fire", cell = 1 / resolution, frames = 72, fps = 30 }
walls { min = {-0.15, 0, -0.1}, max = {0.25, 0.5, 0.1}, left = "open", right = "open", back = "open", front = "open", top = "open" }
fire { fuel = { name = "wood_gas", soot = 3, flame_speed = 0.4, density_products = 0.41 }, quench = 0.012, rise = 0.06, cooling = 4500,
       buoyancy_heat = 0.008, buoyancy_weight = 0, dissipation = 2.5 }

obstacle { shape = capsule { from = {0, -0.05, 0}, to = {0, 0.14, 0}, radius = 0.01 }, color = {0.75, 0.6, 0.42} }
obstacle { shape = sphere { center = {0, 0.15, 0}, radius = 0.018 }, color = {0.55, 0.16, 0.12},
           fuel = { rate = 0.001, heating = 12, lit = sphere { center = {0, 0.15, 0}, radius = 0.1 } } }
pump { shape = box { min = {-0.16, 0.08, -0.08}, max = {-0.1, 0.26, 0.08} }, velocity = {breath, 0, 0}, start = 1, stop = 1.5 }
emitter { shape = sphere { center = {0, 0.16, 0}, radius = 0.024 }, density = 1.5, temperature = 420, start = 1.5 } -- the head smoulders

camera { position = {0.08, 0.26, 0.74}, target = {0.05, 0.22, 0} }
light { direction = {-0.5, 1, 0.3}, color = {0.5, 0.65, 1}, intensity = 0.35 }
look { ambient_light = 0.1, background = {0.03, 0.035, 0.05}, smoke_color = {0.6, 0.6, 0.6}, fire_brightness = 0.9, core_brightness = 0.5, absorption = 40 }
