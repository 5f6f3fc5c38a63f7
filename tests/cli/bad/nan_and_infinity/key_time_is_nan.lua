-- expects: key_time_is_nan.lua:3: emitter.density has key 1 at t = nan; times must be finite and ascend
scene { cell = 0.1 }
emitter { shape = sphere { center = {0, 0, 0}, radius = 1 }, density = keys { {0 / 0, 1} } }
