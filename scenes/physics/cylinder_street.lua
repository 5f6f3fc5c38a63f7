-- The vortex street of Karman behind a cylinder: at a Reynolds number of 100 it sheds 0.164 U / D vortices of each sign a second
-- (Williamson 1988). Dye comes off the cylinder.
local resolution = param("resolution", 16) -- cells across the cylinder
local reynolds = param("reynolds", 100)    -- U D / nu

local diameter, wind = 0.1, 0.5

scene { title = "Vortex street", fluid = "smoke", dimension = 2, cell = diameter / resolution, duration = 14, fps = 24, cfl = 1 }

walls {
    min = {-5 * diameter, -6 * diameter}, max = {19 * diameter, 6 * diameter},
    left = { kind = "inflow", velocity = {wind, 0} }, right = "outflow",
}

smoke { viscosity = wind * diameter / reynolds, advection = "reflection", subgrid = 0, buoyancy_weight = 0 }

initial { velocity = function() return {wind, 0} end }

obstacle {
    shape = sphere { center = {0, 0}, radius = diameter / 2 }, slip = 0, emit = { density = 1 }, color = {0.35, 0.4, 0.5},
}

-- A street takes long to grow out of rounding; a short push sideways starts it.
force {
    shape = sphere { center = {1.5 * diameter, 0.3 * diameter}, radius = diameter }, acceleration = {0, 0.6 * wind ^ 2 / diameter},
    stop = 2 * diameter / wind,
}

camera { position = {7.5 * diameter, 0, 11 * diameter} }
output { width = 1280, height = 480, movie = true }
