-- Convection between plates, seen from the side: the floor is heated more and more, the ceiling stays cold. First the gas rests,
-- then it turns in even rolls, at last plumes tear off both plates.
local resolution = param("resolution", 160) -- cells from plate to plate, which stand a metre apart

scene {
    title = "Convection between plates",
    fluid = "smoke",
    dimension = 2,
    cell = 1 / resolution,
    duration = 24,
    fps = 24,
    cfl = 1,
}

walls {
    min = {0, 0}, max = {1.8, 1}, slip = 0,
    bottom = { temperature = keys { {0, 305}, {6, 320}, {12, 340}, {18, 450}, {24, 500} } },
    top = { temperature = 300 },
}

-- Rayleigh number 0.005 (T - 300) / 16e-8: from 1.6e5 to 6e6.
smoke { ambient = 300, buoyancy_heat = 0.005, buoyancy_weight = 0, viscosity = 4e-4, conductivity = 4e-4 }

-- An even veil of smoke, which shows the heat by its colour.
fill { shape = box { min = {0, 0}, max = {1.8, 1} }, density = 0.35 }

initial { temperature = function(x, y) return 300 + 2 * (1 - y) + noise(6 * x, 6 * y, 0, 0) end }

output { movie = true }
