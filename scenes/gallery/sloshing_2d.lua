-- A tank that is rocked sideways near the frequency of its first mode: the water sloshes higher and higher, and breaks at the walls.
local resolution = param("resolution", 128) -- cells a metre

local length, depth, weight = 1, 0.3125, 9.81
local wave_number = math.pi / length
local decay = math.exp(-2 * wave_number * depth)
local mode = math.sqrt(weight * wave_number * (1 - decay) / (1 + decay)) -- rad/s: g k tanh(k depth) is its square

scene {
    title = "Sloshing in 2-D", fluid = "liquid", dimension = 2, cell = 1 / resolution, duration = 8, fps = 24,
    -- Seen from the tank, its motion is a weight that swings.
    gravity = function(t) return {0.6 * math.sin(mode * t), -weight} end,
}

walls { min = {0, 0}, max = {length, 0.75} }

fill { shape = box { min = {0, 0}, max = {length, depth} } }

output { movie = true }
