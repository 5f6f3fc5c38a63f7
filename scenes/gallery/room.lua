-- A sealed room with a heater on its floor: warm smoke rises, spreads under the ceiling and comes down along the walls. Nothing can
-- leave; what the heater brings in stays.
local resolution = param("resolution", 64) -- cells a metre

scene { title = "Sealed room with a heater", fluid = "smoke", cell = 1 / resolution, duration = 6, fps = 24 }

walls { min = {-1, 0, -0.75}, max = {1, 1.5, 0.75}, slip = 0 }

smoke { confinement = 0.2, cooling = 0.1, viscosity = 1.5e-5, conductivity = 2.2e-5 }

-- The heater: a block that is hot to the touch and smokes for the first seconds.
obstacle {
    shape = box { min = {-0.7, 0, -0.2}, max = {-0.4, 0.15, 0.2} },
    temperature = 500,
    slip = 0,
    color = {0.6, 0.2, 0.12},
}
emitter {
    shape = box { min = {-0.68, 0.15, -0.18}, max = {-0.42, 0.2, 0.18} },
    density_rate = 6,
    temperature = 400,
    noise = { amplitude = 0.7, size = 0.08, speed = 2 },
    stop = 4,
}

-- The back wall and the left one, to be seen: they stand just outside of the box that keeps the smoke.
local paint = {0.13, 0.17, 0.24}
obstacle { shape = box { min = {-1.04, 0, -0.79}, max = {1, 1.54, -0.75} }, color = paint }
obstacle { shape = box { min = {-1.04, 0, -0.75}, max = {-1, 1.54, 0.75} }, color = paint }

camera { position = {0.75, 0.95, 3.0}, target = {-0.05, 0.72, 0}, field_of_view = deg(38) }
light { direction = {0.5, 1, 0.8} }
light { direction = {-0.9, 0.3, 0.2}, color = {1, 0.85, 0.7}, intensity = 0.4 }

look { show_walls = true } -- the others are glass

output { movie = true }
