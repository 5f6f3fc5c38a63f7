-- Stam's box in 2-D: two breaths of smoke meet over a thin shelf and curl into each other.
local resolution = param("resolution", 256) -- cells a metre

scene {
    title = "Stam's box",
    fluid = "stable",
    dimension = 2,
    cell = 1 / resolution,
    duration = 8,
    fps = 30,
    steps = 4, -- a jet crosses two cells in each; in one step of eight its edge would show teeth
}

walls { min = {0, 0}, max = {1, 1} }

stable { confinement = 1, viscosity = 1e-6, sweeps = 20 }

emitter {
    shape = sphere { center = {0.28, 0.08}, radius = 0.022 },
    density = 0.7,
    velocity = function(t) return {0.35 * math.sin(1.7 * t), 0.9} end,
}

emitter {
    shape = sphere { center = {0.93, 0.55}, radius = 0.018 },
    density = 0.5,
    velocity = function(t) return {-0.7, 0.25 * math.cos(2.3 * t)} end,
}

obstacle {
    shape = box { min = {0.5, 0.3}, max = {0.8, 0.304} },
    color = {0.75, 0.36, 0.22},
}

output { movie = true }
