-- Convection between plates, heated from below (Rayleigh and Benard). Gas rests until the Rayleigh number passes 1708; a little above
-- that it turns in even rolls, as wide as the plates are apart; at a thousand times as much plumes tear off both plates:
--   billow run plates.lua                                           rolls
--   billow run plates.lua --set rayleigh=1e7 --set resolution=128   plumes
local resolution = param("resolution", 48)  -- cells from plate to plate, which stand a metre apart
local rayleigh = param("rayleigh", 5000)    -- g beta (hot - cold) / (nu kappa)
local width = param("width", 4)             -- of the box, m; its left and right sides are joined

local prandtl, speed, difference = 0.71, 3, 40 -- nu / kappa; of free fall, m/s; K
local tiles = math.max(1, math.floor(width * resolution / 8 + 0.5))
local cell = 1 / resolution

scene { title = "Convection between plates", fluid = "smoke", dimension = 2, cell = cell, duration = 15, fps = 24 }

walls {
    min = {0, 0}, max = {8 * tiles * cell, 1}, periodic = {"x"}, slip = 0,
    bottom = { temperature = 300 + difference / 2 }, top = { temperature = 300 - difference / 2 },
}

smoke {
    ambient = 300, buoyancy_heat = speed ^ 2 / difference, buoyancy_weight = 0, advection = "reflection", subgrid = 0,
    viscosity = speed * math.sqrt(prandtl / rayleigh), conductivity = speed / math.sqrt(prandtl * rayleigh), dissipation = 0.1,
}

initial {
    temperature = function(x, y)
        local push = 0.05 * math.cos(math.pi * x) + 0.05 * noise(3 * x, 3 * y, 0, 0) -- rolls a metre wide, and some disorder
        return 300 + difference * (0.5 - y + push * math.sin(math.pi * y))
    end,
}

-- Smoke in two colours comes off the plates: warm rises, cold sinks.
emitter { shape = box { min = {-1, 0}, max = {width + 1, 0.05} }, density = 1, color = {1, 0.55, 0.2} }
emitter { shape = box { min = {-1, 0.95}, max = {width + 1, 1} }, density = 1, color = {0.25, 0.6, 1} }

camera { position = {width / 2, 0.5, 1.7} }
output { width = 1280, height = 360, movie = true }
