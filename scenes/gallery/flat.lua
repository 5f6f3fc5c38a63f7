-- Two-dimensional smoke: three warm puffs meet a grate of rods.
local resolution = param("resolution", 160) -- cells a metre

scene { title = "Flat smoke through a grate", fluid = "smoke", dimension = 2, cell = 1 / resolution, duration = 5, fps = 24 }

walls { min = {-0.8, 0}, max = {0.8, 1.2}, top = "open" }

smoke { advection = "reflection", confinement = 0.05, cooling = 0.1 }

for n = -1, 1 do
    emitter {
        shape = sphere { center = {0.35 * n, 0.1}, radius = 0.07 },
        density = 1,
        temperature = 380 + 12 * n,
        noise = { amplitude = 0.5, size = 0.05, speed = 2 },
        stop = 1.5 + 0.3 * n,
    }
end
for n = -3, 3 do
    obstacle { shape = sphere { center = {0.2 * n, 0.55 + 0.02 * n * n}, radius = 0.045 }, color = {0.35, 0.4, 0.5} }
end

output { movie = true }
