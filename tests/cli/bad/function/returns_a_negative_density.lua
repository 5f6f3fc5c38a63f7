-- expects: returns_a_negative_density.lua:3: emitter.density at t = 5 is -4; it must be a number, 0 or more
scene { cell = 0.1 }
emitter { shape = sphere { center = {0, 0, 0}, radius = 1 }, density = function(t) return 1 - t end }
