-- A broad sheet of water runs over the edge of a step and falls into a basin, in one smooth film: a particle level set, in 2-D.
local resolution = param("resolution", 64) -- cells a metre

scene { title = "Film off an edge", fluid = "liquid", dimension = 2, cell = 1 / resolution, duration = 2, fps = 24 }

walls { min = {0, 0}, max = {2, 1.5}, top = "open",
        left = { kind = "inflow", velocity = {0.8, 0}, part = box { min = {-1, 0.8, -1}, max = {1, 1, 1} } } }

liquid { method = param("method", "particle_levelset") }

obstacle { shape = box { min = {-1, -1, -1}, max = {0.7, 0.8, 1} } }
fill { shape = box { min = {0, 0.8}, max = {0.7, 1} }, velocity = {0.8, 0} }
fill { shape = box { min = {0.7, 0}, max = {2, 0.2} } }

output { movie = true, width = 640, height = 480 }
