-- A wall that pushes to and fro sends waves down a long tank; they steepen on a beach and break.
local resolution = param("resolution", 48) -- cells a metre

scene { title = "Wave tank", fluid = "liquid", cell = 1 / resolution, duration = 10, fps = 24 }

walls { min = {0, 0, 0}, max = {5, 1, 0.75}, top = "open" }

fill { shape = box { min = {0, 0, 0}, max = {5, 0.4, 0.75} } }

-- The wall reaches out of the tank behind itself, so that no gap opens there. It starts gently.
obstacle {
    shape = box { min = {-0.2, -0.1, -0.1}, max = {0.25, 0.9, 0.85} },
    motion = { position = function(t) return {0.09 * math.min(t, 1) * math.sin(4.2 * t), 0, 0} end },
    color = {0.75, 0.36, 0.22},
}
-- The beach: the part of the tank below a plane that rises by one in four.
obstacle {
    shape = intersection {
        plane { point = {3, 0, 0}, normal = {-0.25, 1, 0} },
        box { min = {3, -0.1, -0.1}, max = {5.1, 1, 0.85} },
    },
    color = {0.55, 0.48, 0.36},
}

camera { position = {5.35, 1.2, 2.3}, target = {3.2, 0.28, 0.38}, field_of_view = deg(40) }
light { direction = {-0.5, 1, 0.6} }
light { direction = {0.8, 0.4, -0.3}, color = {0.6, 0.75, 1}, intensity = 0.4 }

look { show_walls = true, sky = "day", background = {0.55, 0.62, 0.68}, ground = {0.32, 0.33, 0.34}, water_color = {0.2, 0.55, 0.62}, water_absorption = 4 }

output { movie = true }
