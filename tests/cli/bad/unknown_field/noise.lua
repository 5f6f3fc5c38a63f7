-- expects: noise.lua:3: emitter.noise has no field "amount"; known: amplitude, size, speed
scene { cell = 0.1 }
emitter { shape = sphere { center = {0, 0, 0}, radius = 1 }, density = 1, noise = { amount = 1 } }
