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

camera { position = {3.5, 1.6, 4.5}, target = {2.6, 0.4, 0.35}, field_of_view = deg(46) }
light { direction = {-0.5, 1, 0.6} }
light { direction = {0.8, 0.4, -0.3}, color = {0.6, 0.75, 1}, intensity = 0.4 }

look { show_walls = true, background = {0.3, 0.33, 0.37}, ground = {0.42, 0.42, 0.43}, ambient_light = 0.4 }

output { movie = true }
