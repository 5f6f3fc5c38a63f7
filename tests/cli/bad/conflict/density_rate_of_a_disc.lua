-- expects: density_rate_of_a_disc.lua:3: emitter.density_rate is given, and the shape is flat: it has no volume to fill; give density and velocity, or a shape with an inside
scene { cell = 0.1 }
emitter { shape = disc { center = {0, 1, 0}, normal = {0, 1, 0}, radius = 0.5 }, density_rate = 1, velocity = {0, 1, 0} }
