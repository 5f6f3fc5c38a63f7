-- expects: returns_nothing.lua:3: emitter.density at t = 5 is nil; it must be a number, 0 or more
scene { cell = 0.1 }
emitter { shape = sphere { center = {0, 0, 0}, radius = 1 }, density = function(t) end }
