-- A camp fire: gas that logs give off burns as it rises. Fire by the simple model, smoke that it leaves, and its light.
local resolution = param("resolution", 40) -- cells a metre

scene { title = "Camp fire", fluid = "fire", cell = 1 / resolution, frames = 96, fps = 24 }
walls { min = {-0.8, 0, -0.8}, max = {0.8, 2.4, 0.8},
        left = "open", right = "open", back = "open", front = "open", top = "open" }
fire { model = "simple", fuel = { name = "wood_gas", soot = 0.08 }, cooling = 3500, burn_rate = 8, fade = 2.5,
       confinement = 6, buoyancy_heat = 0.014 } -- less than an ideal gas has: the air that fire draws in slows it

for n = 0, 4 do -- logs that lean on one another
    local a = deg(72 * n + 20)
    local x, z = math.cos(a), math.sin(a)
    obstacle { shape = capsule { from = {0.42 * x, 0.05, 0.42 * z}, to = {0.04 * x, 0.3, 0.04 * z}, radius = 0.045 },
               color = {0.33, 0.22, 0.15} }
end
emitter { shape = cylinder { from = {0, 0.04, 0}, to = {0, 0.14, 0}, radius = 0.22 },
          fuel = 1, temperature = 800, noise = { amplitude = 1.2, size = 0.12, speed = 4 } }

camera { position = {1.6, 0.9, 2.4}, target = {0, 0.75, 0} }
light { direction = {-0.5, 1, 0.3}, color = {0.5, 0.65, 1}, intensity = 0.06 } -- the moon
look { ambient_light = 0.03, background = {0.02, 0.025, 0.035}, fire_brightness = 4 }
