-- expects: density_and_density_rate.lua:3: emitter.density and emitter.density_rate are both given; leave one out
scene { cell = 0.1 }
emitter { shape = sphere { center = {0, 0, 0}, radius = 1 }, density = 1, density_rate = 1 }
