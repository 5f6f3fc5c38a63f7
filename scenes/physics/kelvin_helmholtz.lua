-- The instability of Kelvin and Helmholtz: two streams slide along each other, u = U tanh(y / delta). Waves on the layer between them
-- grow, roll up into a row of vortices, and neighbours pair. The wave 2 pi / 0.4446 delta long grows fastest, by 0.1897 U / delta
-- (Michalke 1964). Water, 10 cm/s each way, a layer of 2 cm.
local resolution = param("resolution", 6) -- cells a delta, about: whole tiles make up the length of the box
local waves = param("waves", 4)           -- of the fastest growing one, in the length of the box
local amplitude = param("amplitude", 0.02) -- of the first wave's speed across the layer, by U
local reynolds = param("reynolds", 2000)  -- U delta / nu

local delta, speed, wave_number = 0.02, 0.1, 0.4446
local length = waves * 2 * math.pi / wave_number * delta
local cells = 8 * math.max(1, math.floor(length / delta * resolution / 8 + 0.5))
local cell = length / cells
local half = cell * 8 * math.floor(14 * delta / cell / 8 + 0.5) -- 14 delta: walls farther away change nothing

scene { title = "Kelvin-Helmholtz roll-up", fluid = "smoke", dimension = 2, cell = cell, duration = 9, fps = 24, cfl = 1 }

walls { min = {0, -half}, max = {length, half}, periodic = {"x"} }

smoke { advection = "reflection", viscosity = speed * delta / reynolds, buoyancy_weight = 0 }

-- A wave without divergence, shaped like the one that grows; k in 1 / delta.
local function wave(k, phase, x, y)
    local shape = math.exp(-k * math.log((math.exp(y) + math.exp(-y)) / 2))
    local tanh = 1 - 2 / (math.exp(2 * y) + 1)
    return math.sin(k * x + phase) * tanh * shape, math.cos(k * x + phase) * shape
end

initial {
    velocity = function(x, y)
        x, y = x / delta, math.max(-30, math.min(30, y / delta))
        local u, v = wave(wave_number, 0, x, y)
        if waves % 2 == 0 then -- a wave twice as long lifts every second vortex: pairs form
            local u_pair, v_pair = wave(wave_number / 2, -math.pi / 4, x, y)
            u, v = u + 0.4 * u_pair, v + 0.4 * v_pair
        end
        local tanh = 1 - 2 / (math.exp(2 * y) + 1)
        return {speed * (tanh + amplitude * u), speed * amplitude * v}
    end,
    density = function(x, y) return math.max(0, math.min(1, 0.5 - y / (0.5 * delta))) end,
}

camera { position = {length / 2, 0, 0.515 * length} }
output { width = 1280, height = 480, movie = true }
