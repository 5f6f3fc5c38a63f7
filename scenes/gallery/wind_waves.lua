-- Wind blows over a pool: its gusts press on the water in rows that travel as fast as the waves they raise, and two rows
-- that cross make short-crested waves.
local resolution = param("resolution", 32) -- cells a metre

scene { title = "Wind over a pool", fluid = "liquid", cell = 1 / resolution, duration = 4, fps = 24 }

walls { min = {0, 0, 0}, max = {5, 1.125, 2.5}, top = "open" }
fill { shape = box { min = {0, 0, 0}, max = {5, 0.5, 2.5} } }

local wavelength, depth, strength = 1.1, 0.5, 45 -- m, m, Pa
local number = 2 * math.pi / wavelength
local omega = math.sqrt(9.81 * number * (1 - math.exp(-2 * number * depth)) / (1 + math.exp(-2 * number * depth)))

surface_pressure {
    pressure = function(x, y, z, t)
        local gust = math.min(t, 1) * (0.6 + 0.8 * noise(0.5 * x - 0.6 * t, 0, 0.5 * z, 0.5 * t))
        local function row(angle)
            return math.cos(number * (x * math.cos(angle) + z * math.sin(angle)) - omega * t)
        end
        return strength * gust * (row(0.35) + row(-0.25))
    end,
    stop = 3,
}

camera { position = {6.6, 2.2, 5.2}, target = {2.75, 0.2, 1.15}, field_of_view = deg(38) }
light { direction = {-0.6, 0.7, 0.3}, color = {1, 0.96, 0.88}, intensity = 1.4 }
light { direction = {0.6, 0.8, 0.7}, color = {0.6, 0.75, 1}, intensity = 0.7 }
look { show_walls = true, sky = "day", water_color = {0.1, 0.45, 0.6}, water_absorption = 2.5, background = {0.55, 0.62, 0.68}, ground = {0.32, 0.33, 0.32} }

output { movie = true }
