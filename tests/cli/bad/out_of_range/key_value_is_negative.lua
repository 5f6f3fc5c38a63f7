-- expects: key_value_is_negative.lua:3: emitter.density is -1; it must be a number, 0 or more, keys or a function of time
scene { cell = 0.1 }
emitter { shape = sphere { center = {0, 0, 0}, radius = 1 }, density = keys { {0, 1}, {1, -1} } }
