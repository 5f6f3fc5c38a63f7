-- Three jets of coloured smoke meet over a table and rise as one: what mixes takes the mean of its colours, by mass.
local resolution = param("resolution", 64) -- cells a metre

scene {
    title = "Three inks",
    fluid = "smoke",
    cell = 1 / resolution,
    duration = 4,
    fps = 24,
}

walls {
    min = {-1.125, 0, -1}, max = {1.125, 2, 1},
    left = "open", right = "open", back = "open", front = "open", top = "open",
}

smoke { envelope = 0.1, confinement = 0.1, cooling = 0.2 }

local inks = { {0.95, 0.12, 0.25}, {0.05, 0.35, 0.95}, {0.98, 0.72, 0.05} }
for n, ink in ipairs(inks) do
    local angle = 2 * math.pi * (n - 1) / 3 + 0.9
    local x, z = math.cos(angle), math.sin(angle)
    emitter {
        shape = sphere { center = {0.55 * x, 0.22, 0.55 * z}, radius = 0.09 },
        density = 1,
        temperature = 345,
        velocity = function(t) return {-1.0 * x, 0.35 + 0.2 * noise(n, 0, 0, t), -1.0 * z} end,
        noise = { amplitude = 0.5, size = 0.06, speed = 3 },
        color = ink,
    }
end

camera { position = {0.4, 1.25, 3.4}, target = {0, 0.85, 0}, field_of_view = deg(38) }
light { direction = {-0.6, 1, 0.7}, intensity = 1.3 }
light { direction = {0.8, 0.3, -0.4}, color = {0.75, 0.85, 1}, intensity = 0.4 }
look { background = {0.16, 0.17, 0.19} }

output { movie = true }
