-- expects: fails.lua:3: emitter.density at t = 5 failed: fails.lua:4: attempt to index a number value (local 't')
scene { cell = 0.1 }
emitter { shape = sphere { center = {0, 0, 0}, radius = 1 }, density = function(t)
  return t.x
end }
