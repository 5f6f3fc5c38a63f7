-- Lava runs down a slope between stones. Its skin cools, stiffens and goes dark; where it tears the inside glows.
local resolution = param("resolution", 44) -- cells a metre

scene { title = "Lava", fluid = "liquid", cell = 1 / resolution, duration = 6, fps = 24 }

walls { min = {0, 0, 0}, max = {2.2, 1.1, 1}, slip = 0, right = "open", top = "open" }
-- It cools some hundred times as fast as rock does, so that an hour passes in seconds.
liquid { viscosity = 0.008, density = 2600, heat_capacity = 1000,
         melt = { solid = 950, liquid = 1300, viscosity_solid = 4, conductivity = 2e-5, heat_transfer = 9000 } }

local fall = 0.42
obstacle {
    shape = intersection {
        plane { point = {2.0, 0, 0}, normal = {fall, 1, 0} },
        box { min = {-0.1, -0.1, -0.1}, max = {2.1, 1.1, 1.1} },
    },
    slip = 0, color = {0.34, 0.31, 0.29},
}
for n, at in ipairs { {0.85, 0.3}, {1.0, 0.72}, {1.4, 0.45} } do
    local x, z = at[1], at[2]
    obstacle { shape = sphere { center = {x, fall * (2 - x), z}, radius = 0.09 + 0.01 * n }, slip = 0, color = {0.3, 0.28, 0.27} }
end
emitter { shape = sphere { center = {0.2, fall * 1.8 + 0.1, 0.5}, radius = 0.09 }, flow = 0.02, temperature = 1420,
          color = {0.1, 0.09, 0.085} }

camera { position = {2.25, 1.15, 1.5}, target = {0.98, 0.4, 0.5}, field_of_view = deg(34) }
light { direction = {-0.4, 1, 0.5}, color = {0.8, 0.86, 1}, intensity = 0.8 }
look { water_absorption = 400, ambient_light = 0.3, background = {0.3, 0.33, 0.4}, ground = {0.3, 0.27, 0.25}, fire_brightness = 9 }
output { movie = true }
