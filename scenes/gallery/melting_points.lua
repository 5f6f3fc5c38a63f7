-- Scattered points, as a scanner leaves them: a level set is wrapped around them, filled with water, and melts away (after fig. 1 of Fedkiw 2003).
local resolution = param("resolution", 56) -- cells a metre

scene { title = "Scattered points melt into water", fluid = "liquid", cell = 1 / resolution, duration = 3, fps = 24 }

walls { min = {-0.75, 0, -0.6}, max = {0.75, 1.25, 0.6} }

liquid { method = param("method", "particle_levelset"), surface_particles = 2, viscosity = keys { {0, 0.5}, {0.5, 0.5}, {1.2, 1e-4} } }

fill { shape = wrapped { file = "meshes/rabbit.xyz", radius = 0.035 } }

camera { position = {1.25, 0.95, 1.85}, target = {0, 0.33, 0}, field_of_view = deg(36) }
light { direction = {-0.5, 1, 0.6} }
light { direction = {0.8, 0.4, -0.3}, color = {0.6, 0.75, 1}, intensity = 0.4 }

look { show_walls = true, background = {0.3, 0.33, 0.37}, ground = {0.42, 0.42, 0.43}, ambient_light = 0.4 }

output { movie = true }
