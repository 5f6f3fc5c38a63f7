-- expects: emitter_color_is_negative.lua:3: emitter.color is {1, -0.5, 0}; it must be a color {r, g, b} with numbers from 0 to 1
scene { cell = 0.02 }
emitter { shape = sphere { center = {0, 0, 0}, radius = 1 }, density = 1, color = {1, -0.5, 0} }
