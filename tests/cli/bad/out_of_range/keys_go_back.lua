-- expects: keys_go_back.lua:3: emitter.density has key 2 at t = 0.5; times must be finite and ascend
scene { cell = 0.1 }
emitter { shape = sphere { center = {0, 0, 0}, radius = 1 }, density = keys { {1, 0}, {0.5, 1} } }
