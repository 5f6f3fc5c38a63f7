-- Two coloured streams meet in the air, fall together and mix in a basin. The colour is carried by the particles: stirring
-- mixes it, and what has been mixed stays so.
local resolution = param("resolution", 72) -- cells a metre

scene { title = "Two streams", fluid = "liquid", cell = 1 / resolution, duration = 6, fps = 24 }

walls { min = {-0.5, 0, -0.25}, max = {0.5, 0.75, 0.25}, top = "open" }

-- A pipe that is hollow at its end, and a jet out of it; s is -1 on the left and 1 on the right.
local function pipe(s, color)
    obstacle { shape = difference { cylinder { from = {0.6 * s, 0.62, 0}, to = {0.34 * s, 0.62, 0}, radius = 0.09 },
                                    cylinder { from = {0.4 * s, 0.62, 0}, to = {0.3 * s, 0.62, 0}, radius = 0.08 } },
               color = {0.35, 0.33, 0.3} }
    emitter { shape = disc { center = {0.36 * s, 0.62, 0}, normal = {-s, 0, 0}, radius = 0.06 }, velocity = {-1.4 * s, 0, 0},
              color = color, stop = 5 }
end
pipe(-1, {1, 0.72, 0.02})
pipe(1, {0.02, 0.3, 0.95})

camera { position = {0.45, 0.9, 1.7}, target = {0, 0.28, 0}, field_of_view = deg(38) }
light { direction = {-0.4, 1, 0.5} }
light { direction = {0.8, 0.5, -0.3}, color = {0.8, 0.85, 1}, intensity = 0.4 }
look { show_walls = true, water_absorption = 25, ground = {0.5, 0.5, 0.5} }

output { movie = true }
