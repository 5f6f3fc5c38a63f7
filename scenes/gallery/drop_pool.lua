-- A large drop falls into a pool: a crown, a crater, and the jet that rises where it closes.
local resolution = param("resolution", 96) -- cells a metre

scene { title = "Drop into a pool", fluid = "liquid", cell = 1 / resolution, duration = 3, fps = 24 }

walls { min = {-0.5, 0, -0.5}, max = {0.5, 1, 0.5} }

liquid { method = param("method", "apic") } -- "particle_levelset": a smoother crown

fill { shape = box { min = {-0.5, 0, -0.5}, max = {0.5, 0.25, 0.5} } }
fill { shape = sphere { center = {0, 0.55, 0}, radius = 0.09 }, velocity = {0, -2.5, 0} }

camera { position = {0.74, 0.74, 1.5}, target = {0, 0.26, 0}, field_of_view = deg(40) }
light { direction = {-0.5, 1, 0.6} }
light { direction = {0.8, 0.4, -0.3}, color = {0.6, 0.75, 1}, intensity = 0.4 }
look { show_walls = true, background = {0.3, 0.33, 0.37}, ground = {0.42, 0.42, 0.43}, ambient_light = 0.4 }

output { movie = true }
