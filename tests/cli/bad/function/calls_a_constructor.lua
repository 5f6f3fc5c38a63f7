-- expects: calls_a_constructor.lua:3: emitter.density at t = 5 failed: calls_a_constructor.lua:3: sphere is called by a function of time; it may only be called while the scene loads
scene { cell = 0.1 }
emitter { shape = sphere { center = {0, 0, 0}, radius = 1 }, density = function(t) sphere { center = {0, 0, 0}, radius = 1 } return 1 end }
