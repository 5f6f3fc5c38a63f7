-- expects: emitter_shape.lua:3: emitter.shape is missing; it must be a shape, such as sphere {...}
scene { cell = 0.1 }
emitter { density = 1 }
