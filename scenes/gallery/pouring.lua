-- Water poured into a glass, 55 x 120 x 55 cells, by a particle level set: the stream stays whole, dives, and the level rises as smooth as glass
-- (after fig. 3 of Fedkiw 2003). The walls of the glass are three cells thick and more, for a level set is not told apart across thinner ones:
-- with coarser cells they are thicker.
local resolution = param("resolution", 250) -- cells a metre
local cell = 1 / resolution
local inner, wall, bottom = 0.084, math.max(0.014, 3.5 * cell), math.max(0.016, 4 * cell)
local cells = math.ceil((inner + wall) * resolution + 2.5 - 1e-6) -- from the middle one to a side of the box
local middle = cell / 2

scene { title = "Pouring a glass", fluid = "liquid", cell = cell, duration = 4, fps = 24 }

walls { min = {-cells * cell, 0, -cells * cell}, max = {(cells + 1) * cell, 0.48, (cells + 1) * cell},
        left = "open", right = "open", back = "open", front = "open", top = "open" }

liquid { method = param("method", "particle_levelset"), surface_particles = 2 }

obstacle { shape = difference { cylinder { from = {middle, -0.01, middle}, to = {middle, 0.3, middle}, radius = inner + wall },
                                cylinder { from = {middle, bottom, middle}, to = {middle, 0.4, middle}, radius = inner } },
           glass = true, color = {0.93, 0.97, 0.95} }
emitter { shape = disc { center = {middle - 0.035, 0.44, middle}, normal = {0.15, -1, 0}, radius = 0.02 }, velocity = {0.15, -1, 0}, stop = 3 }

camera { position = {0.42, 0.5, 0.82}, target = {0, 0.19, 0}, field_of_view = deg(34) }
light { direction = {-0.5, 0.9, 0.3} }
light { direction = {0.8, 0.5, -0.4}, color = {0.6, 0.75, 1}, intensity = 0.5 }
look { ground = {0.42, 0.33, 0.26}, water_color = {0.45, 0.75, 0.85}, water_absorption = 6 }

output { movie = true }
