-- expects: falloff_of_a_rectangle.lua:3: emitter.falloff is given, and the shape is flat: it has no inside for a soft edge
scene { cell = 0.1 }
emitter { shape = translate { rectangle { center = {0, 1, 0}, normal = {0, 1, 0}, size = {1, 1} }, by = {0, 1, 0} }, density = 1, velocity = {0, 1, 0}, falloff = 0.2 }
