-- Toothpaste from a nozzle that goes to and fro: it keeps the shape that it was laid down in.
local resolution = param("resolution", 600) -- cells a metre
local radius, height, over = 0.0042, 0.010, 2.6 -- m, m, s

scene { title = "Toothpaste", fluid = "liquid", cell = 1 / resolution, frames = 84, fps = 24 }

walls { min = {-0.05, 0, -0.03}, max = {0.05, 0.04, 0.03}, slip = 0,
        left = "open", right = "open", back = "open", front = "open", top = "open" }
liquid { viscosity = 0.05, yield_stress = 200, shear_exponent = 0.6, density = 1300 }

local function way(t)
    local s = math.min(t / over, 1)
    return {-0.034 + 0.068 * s, 0.03 * math.max(t - over - 0.1, 0), 0.009 * math.sin(4.5 * math.pi * s)}
end
local nozzle = disc { center = {0, height, 0}, normal = {0, -1, 0}, radius = radius }
local function stripe(low, high, color)
    emitter { shape = intersection { nozzle, box { min = {-1, 0, low * radius}, max = {1, 1, high * radius} } },
              velocity = {0, -0.045, 0}, offset = way, stop = over, color = color }
end
stripe(-1, -0.33, {0.15, 0.6, 0.9})
stripe(-0.33, 0.33, {0.97, 0.97, 0.97})
stripe(0.33, 1, {0.9, 0.2, 0.2})
obstacle { shape = difference {
               cylinder { from = {0, height + 0.003, 0}, to = {0, 0.034, 0}, radius = 1.35 * radius },
               cylinder { from = {0, 0, 0}, to = {0, 0.05, 0}, radius = radius } },
           motion = { position = way }, color = {0.85, 0.86, 0.9} }

camera { position = {0.02, 0.062, 0.075}, target = {0.002, 0.01, 0}, field_of_view = deg(42) }
light { direction = {-0.5, 1, 0.4}, color = {1, 0.96, 0.9} }
light { direction = {0.8, 0.4, -0.3}, color = {0.8, 0.88, 1}, intensity = 0.4 }
look { water_absorption = 3000, background = {0.6, 0.66, 0.7}, ground = {0.36, 0.5, 0.54}, ambient_light = 0.45 }
output { movie = true }
