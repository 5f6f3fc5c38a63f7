-- expects: keys_of_vectors_for_a_number.lua:3: emitter.density is keys of other values; each value must be a number, 0 or more
scene { cell = 0.1 }
emitter { shape = sphere { center = {0, 0, 0}, radius = 1 }, density = keys { {0, {1, 2, 3}} } }
