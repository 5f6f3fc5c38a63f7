-- A warm upright plate in still air: the air beside it rises in a thin layer, and a plume goes up from its top. The heat that the
-- plate gives is known: a mean Nusselt number of 0.516 Ra^(1/4) over each face at the Prandtl number of air (Ostrach 1953).
local resolution = param("resolution", 128) -- cells a metre; the plate is half a metre high
local rayleigh = param("rayleigh", 1e6)    -- g beta (T_plate - T_air) L^3 / (nu kappa)

local prandtl, height, difference, speed = 0.72, 0.5, 40, 1
local grip = speed * height / math.sqrt(rayleigh)

scene { title = "Plume of a warm plate", fluid = "smoke", dimension = 2, cell = 1 / resolution, duration = 10, fps = 24 }

walls { min = {-1, 0}, max = {1, 2}, left = "open", right = "open", bottom = "open", top = "open" }

smoke {
    ambient = 300, buoyancy_heat = speed ^ 2 / (difference * height), buoyancy_weight = 0,
    viscosity = grip * math.sqrt(prandtl), conductivity = grip / math.sqrt(prandtl),
}

obstacle {
    shape = box { min = {-0.01, 0.35}, max = {0.01, 0.35 + height} }, temperature = 300 + difference, slip = 0,
    emit = { density = 1 }, color = {0.75, 0.3, 0.2},
}

camera { position = {0, 1, 2.85} }
output { width = 720, height = 720, movie = true }
