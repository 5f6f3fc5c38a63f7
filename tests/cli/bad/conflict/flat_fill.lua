-- expects: flat_fill.lua:3: fill.shape is flat: it has no volume to fill
scene { cell = 0.1 }
fill { shape = union { disc { center = {0, 1, 0}, normal = {0, 1, 0}, radius = 0.5 }, disc { center = {0, 2, 0}, normal = {0, 1, 0}, radius = 0.5 } } }
