-- A drop falls fast into a shallow, calm pool and throws up a crown, by a particle level set: its wall is a smooth sheet whose rim comes
-- apart into points and drops. Slow motion, 240 frames a second.
local resolution = param("resolution", 160) -- cells a metre

scene { title = "Crown", fluid = "liquid", cell = 1 / resolution, duration = 0.25, fps = 240 }

walls { min = {-0.35, 0, -0.35}, max = {0.35, 0.4, 0.35}, top = "open" }

liquid { method = param("method", "particle_levelset"), surface_particles = 2 }

fill { shape = box { min = {-0.35, 0, -0.35}, max = {0.35, 0.03, 0.35} } }
fill { shape = sphere { center = {0, 0.1, 0}, radius = 0.05 }, velocity = {0, -7, 0} }

camera { position = {0.3, 0.3, 0.62}, target = {0, 0.06, 0}, field_of_view = deg(36) }
light { direction = {-0.5, 1, 0.6} }
light { direction = {0.8, 0.4, -0.3}, color = {0.6, 0.75, 1}, intensity = 0.4 }

output { movie = true }
