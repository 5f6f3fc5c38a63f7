-- Water by a particle level set, in 2-D: a column falls, runs up the far wall and comes back as a breaking wave, smooth all the way.
local resolution = param("resolution", 64) -- cells a metre

scene { title = "Breaker in 2-D", fluid = "liquid", dimension = 2, cell = 1 / resolution, duration = 5, fps = 24 }

walls { min = {0, 0}, max = {2, 1} }

liquid { method = param("method", "particle_levelset") }

fill { shape = box { min = {-1, -1}, max = {0.5, 0.75} } }

output { movie = true }
