-- expects: keys_without_times.lua:3: keys[1] is 1; it must be {time, value}
scene { cell = 0.1 }
emitter { shape = sphere { center = {0, 0, 0}, radius = 1 }, density = keys { 1, 2 } }
