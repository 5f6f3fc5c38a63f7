-- The wake of a sphere. At a Reynolds number of 100 a ring of fluid turns behind it and stands still, 0.87 diameters long (Taneda
-- 1956), and the drag coefficient is 1.09. Above 270 the ring breaks and hairpins leave it (Johnson and Patel 1999); at 500 they do
-- not keep to one side any more (Sakamoto and Haniu 1990).
local resolution = param("resolution", 10) -- cells across the sphere
local reynolds = param("reynolds", 500)    -- U D / nu
local nudge = param("nudge", 3)            -- a push sideways at the start, 0: none

local diameter, wind = 0.1, 0.5
local half = 3 * diameter

scene { title = "Wake of a sphere", fluid = "smoke", cell = diameter / resolution, duration = 8, fps = 24, cfl = 1.5 }

walls {
    min = {-3 * diameter, -half, -half}, max = {9 * diameter, half, half},
    left = { kind = "inflow", velocity = {wind, 0, 0} }, right = "outflow",
}

smoke { viscosity = wind * diameter / reynolds, advection = "reflection", subgrid = 0, buoyancy_weight = 0 }

initial { velocity = function() return {wind, 0, 0} end }

obstacle {
    shape = sphere { center = {0, 0, 0}, radius = diameter / 2 }, slip = 0, color = {0.35, 0.4, 0.5},
}
emitter { shape = sphere { center = {0.6 * diameter, 0, 0}, radius = 0.2 * diameter }, density = 1 } -- dye, in the lee

force {
    shape = sphere { center = {1.5 * diameter, 0.3 * diameter, 0}, radius = diameter },
    acceleration = {0, nudge * 0.4 * wind ^ 2 / diameter, 0}, stop = 2 * diameter / wind,
}

camera { position = {3.6 * diameter, 2 * diameter, 9 * diameter}, target = {3.6 * diameter, 0, 0}, field_of_view = deg(30) }
look { absorption = 60, show_ground = false }
output { width = 1280, height = 480, movie = true }
