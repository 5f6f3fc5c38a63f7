-- expects: shape_is_a_table.lua:3: emitter.shape is a table; it must be a shape, such as sphere {...}
scene { cell = 0.1 }
emitter { shape = { center = {0, 0, 0}, radius = 1 }, density = 1 }
