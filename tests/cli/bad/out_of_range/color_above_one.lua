-- expects: color_above_one.lua:3: fill.color is {1, 2, 0}; it must be a color {r, g, b} with numbers from 0 to 1
scene { cell = 0.1 }
fill { shape = sphere { center = {0, 0, 0}, radius = 1 }, color = {1, 2, 0} }
