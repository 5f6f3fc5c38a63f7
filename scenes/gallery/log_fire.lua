-- A camp fire whose logs burn: each gives off gas where it is hot, most of it on its underside and at the heart of the fire, and flames go
-- up from there with blue roots. One of them is alight at the start; the others catch fire from it.
local resolution = param("resolution", 48) -- cells a metre

scene { title = "Logs", fluid = "fire", cell = 1 / resolution, frames = 96, fps = 24 }
walls { min = {-0.75, 0, -0.75}, max = {0.75, 1.75, 0.75},
        left = "open", right = "open", back = "open", front = "open", top = "open" }
fire { fuel = { name = "wood_gas", density_products = 0.35, soot = 1.5 }, rise = 0.09, cooling = 4500, buoyancy_heat = 0.008,
       confinement = resolution / 8 } -- confinement pushes by cells: so eddies of a size get the same of it whatever the cells

-- m/s: patches of bark and knots burn at different rates, and the ends hardly at all
local function rate(x, y, z, t)
    local near = math.max(0, 1 - (x * x + z * z) / 0.09)
    return 0.0013 * near * math.max(0, 0.6 + 0.8 * math.sin(23 * x + 11 * y) * math.sin(19 * z - 13 * y + 3 * t))
end

for n = 0, 5 do -- logs that lean on one another
    local a = deg(60 * n + 20)
    local x, z = math.cos(a), math.sin(a)
    obstacle { shape = capsule { from = {0.4 * x, 0.045, 0.4 * z}, to = {0.05 * x, 0.26, 0.05 * z}, radius = 0.045 }, color = {0.42, 0.28, 0.18},
               fuel = { rate = rate, thickness = 0.03, heating = 4, spread = 0.15, lit = n % 2 == 0 and sphere { center = {0, 0.2, 0}, radius = 0.2 } or nil } }
end

camera { position = {1.2, 0.62, 1.7}, target = {0, 0.5, 0} }
light { direction = {-0.5, 1, 0.3}, color = {0.5, 0.65, 1}, intensity = 0.08 } -- the moon
look { ambient_light = 0.03, background = {0.015, 0.02, 0.03}, fire_brightness = 1.5, absorption = 8 }
