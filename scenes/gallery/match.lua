-- A match that is blown out, at its real size: its head gives off gas, which burns in a steady drop, until a breath from the left strains the
-- flame by more than it can bear (fire.quench). It goes out, the head gives off no more gas, and smoke rises. --set breath=0 lets it burn.
local resolution, breath = param("resolution", 440), param("breath", 2) -- cells a metre, m/s

scene { title = "A match is blown out", fluid = "fire", cell = 1 / resolution, frames = 42, fps = 24 }
walls { min = {-0.05, 0, -7 / 220}, max = {0.075, 0.125, 7 / 220}, right = "open", back = "open", front = "open", top = "open" } -- the left side is a face
fire { fuel = { name = "wood_gas", ignition = 500, soot = 3, flame_speed = 0.1, density_products = 0.2 }, quench = 0.0083, rise = 0.014, cooling = 30000,
       viscosity = 2e-4, dissipation = 2.5 }

obstacle { shape = capsule { from = {0, -0.01, 0}, to = {0, 0.037, 0}, radius = 0.0015 }, color = {0.75, 0.6, 0.42} }
obstacle { shape = sphere { center = {0, 0.04, 0}, radius = 0.0028 }, color = {0.55, 0.16, 0.12},
           fuel = { rate = keys { {0, 0.0008}, {0.85, 0.0008}, {0.9, 0} }, thickness = math.huge, heating = 30, lit = sphere { center = {0, 0.04, 0}, radius = 0.01 } } }
pump { shape = box { min = {-0.04, 0.03, -0.012}, max = {-0.03, 0.066, 0.012} }, velocity = {breath, 0, 0}, start = 0.6, stop = 0.85 }
emitter { shape = sphere { center = {0, 0.042, 0}, radius = 0.0045 }, density = 6, temperature = 440, start = 0.85 } -- the head smoulders

camera { position = {0.03, 0.065, 0.19}, target = {0.008, 0.055, 0} }
light { direction = {-0.5, 1, 0.3}, color = {0.7, 0.8, 1}, intensity = 0.8 }
look { ambient_light = 0.1, background = {0.03, 0.035, 0.05}, smoke_color = {0.6, 0.6, 0.6}, fire_brightness = 2.5, core_brightness = 0.6, absorption = 300 }
