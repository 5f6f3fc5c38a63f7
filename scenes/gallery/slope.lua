-- Water let go at the top of a slope runs down between stones and fills the basin below.
local resolution = param("resolution", 64) -- cells a metre

scene { title = "Water on a slope", fluid = "liquid", cell = 1 / resolution, duration = 6, fps = 24 }

walls { min = {0, 0, 0}, max = {2.5, 1.25, 1}, top = "open" }

-- The slope falls by one in two and ends at the floor, 1.5 m along.
local fall = 0.5
obstacle {
    shape = intersection {
        plane { point = {1.5, 0, 0}, normal = {fall, 1, 0} },
        box { min = {-0.1, -0.1, -0.1}, max = {1.6, 1, 1.1} },
    },
    color = {0.5, 0.46, 0.4},
}
for n, at in ipairs { {0.75, 0.28}, {0.8, 0.75}, {1.1, 0.5} } do
    local x, z = at[1], at[2]
    obstacle { shape = sphere { center = {x, fall * (1.5 - x), z}, radius = 0.08 + 0.01 * n }, color = {0.36, 0.35, 0.34} }
end

-- What of the block lies inside the slope is no water.
fill { shape = box { min = {0, 0.5, 0}, max = {0.4, 1.1, 1} } }

camera { position = {2.6, 1.35, 2.9}, target = {1.15, 0.38, 0.5}, field_of_view = deg(42) }
light { direction = {-0.5, 1, 0.6} }
light { direction = {0.8, 0.4, -0.3}, color = {0.6, 0.75, 1}, intensity = 0.4 }

look { show_walls = true, background = {0.3, 0.33, 0.37}, ground = {0.42, 0.42, 0.43}, ambient_light = 0.4 }

output { movie = true }
