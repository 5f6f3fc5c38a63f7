-- Convection between plates, seen from the side: the floor is heated, the ceiling stays cold. At first a little: even rolls turn
-- the smoke that lay on the floor over and over. Then more and more: plumes tear off both plates.
local resolution = param("resolution", 160) -- cells from plate to plate, which stand a metre apart

scene {
    title = "Convection between plates",
    fluid = "smoke",
    dimension = 2,
    cell = 1 / resolution,
    duration = 20,
    fps = 24,
}

walls {
    min = {0, 0}, max = {1.8, 1}, slip = 0,
    bottom = { temperature = keys { {0, 330}, {8, 330}, {16, 600} } },
    top = { temperature = 300 },
}

-- Rayleigh number 0.01 (T - 300) / 2.25e-6: from 1.3e5 to 1.3e6.
smoke { ambient = 300, buoyancy_heat = 0.01, buoyancy_weight = 0, viscosity = 1.5e-3, conductivity = 1.5e-3 }

fill { shape = box { min = {0, 0}, max = {1.8, 0.35} }, density = 0.8 }

initial { temperature = function(x, y) return 300 + 30 * (1 - y) + 6 * noise(4 * x, 4 * y, 0, 0) end }

output { movie = true }
