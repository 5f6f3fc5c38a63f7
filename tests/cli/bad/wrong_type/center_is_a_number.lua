-- expects: center_is_a_number.lua:3: sphere.center is 1; it must be a vector {x, y, z} (m)
scene { cell = 0.1 }
emitter { shape = sphere { center = 1, radius = 1 }, density = 1 }
