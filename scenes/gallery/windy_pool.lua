-- Wind over a pool: it drives the water along, piles it up at the far wall, and raises waves. A level set, smooth all the way; half-way the wind drops and the surface is calmed.
local resolution = param("resolution", 48) -- cells a metre

scene { title = "Wind over a pool", fluid = "liquid", cell = 1 / resolution, duration = 6, fps = 24 }

walls { min = {0, 0, 0}, max = {2, 0.8, 1} }

liquid { method = param("method", "particle_levelset"), surface_particles = 2 }

fill { shape = box { min = {0, 0, 0}, max = {2, 0.3, 1} } }

surface_control { kind = "wind", velocity = function(t) return {7 + 2 * math.sin(3 * t), 0, 1.5 * math.sin(2 * t)} end, drag = 0.06,
                  stop = 3 }
surface_control { kind = "churn", strength = 2.5, scale = 0.3, speed = 2, drag = 0.06, stop = 3 }
surface_control { kind = "calm", drag = 0.1, start = 3 }

camera { position = {2.6, 1.25, 2.7}, target = {0.95, 0.22, 0.5}, field_of_view = deg(36) }
light { direction = {-0.5, 1, 0.6} }
light { direction = {0.8, 0.4, -0.3}, color = {0.6, 0.75, 1}, intensity = 0.4 }

look { show_walls = true, background = {0.3, 0.33, 0.37}, ground = {0.42, 0.42, 0.43}, ambient_light = 0.4 }

output { movie = true }
