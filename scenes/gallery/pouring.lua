-- Water poured into a glass, 55 x 120 x 55 cells, by a particle level set: the stream stays whole, dives, and the level rises as smooth as glass
-- (after fig. 3 of Fedkiw 2003). The walls of the glass are three cells thick, for a level set is not told apart across thinner ones.
local resolution = param("resolution", 250) -- cells a metre

scene { title = "Pouring a glass", fluid = "liquid", cell = 1 / resolution, duration = 4, fps = 24 }

walls { min = {-0.11, 0, -0.11}, max = {0.11, 0.48, 0.11}, left = "open", right = "open", back = "open", front = "open", top = "open" }

liquid { method = param("method", "particle_levelset"), surface_particles = 2 }

obstacle { shape = difference { cylinder { from = {0, -0.01, 0}, to = {0, 0.3, 0}, radius = 0.098 },
                                cylinder { from = {0, 0.016, 0}, to = {0, 0.4, 0}, radius = 0.084 } },
           glass = true, color = {0.93, 0.97, 0.95} }
emitter { shape = disc { center = {-0.035, 0.44, 0}, normal = {0.15, -1, 0}, radius = 0.02 }, velocity = {0.15, -1, 0}, stop = 3 }

camera { position = {0.42, 0.5, 0.82}, target = {0, 0.19, 0}, field_of_view = deg(34) }
light { direction = {-0.5, 0.9, 0.3} }
light { direction = {0.8, 0.5, -0.4}, color = {0.6, 0.75, 1}, intensity = 0.5 }
look { ground = {0.42, 0.33, 0.26}, water_color = {0.45, 0.75, 0.85}, water_absorption = 6 }

output { movie = true }
