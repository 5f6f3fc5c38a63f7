scene { title = "Smoke past a ball", fluid = "smoke", cell = 1 / param("resolution", 64),
        frames = 120, fps = 24 }
walls { min = {0, 0, 0}, max = {1, 2, 1}, top = "open" }              -- leave out: unbounded
emitter { shape = sphere { center = {0.5, 0.15, 0.5}, radius = 0.1 },
          density = 1, temperature = 400, velocity = {0, 0.5, 0} }
obstacle { shape = sphere { center = {0, 0, 0}, radius = 0.15 },
           motion = { position = function(t) return {0.5 + 0.2 * math.sin(3 * t), 1, 0.5} end } }
output { movie = true, vdb = true }
