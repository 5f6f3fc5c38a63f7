-- expects: cell_is_zero.lua:2: scene.cell is 0; it must be a number above 0 (m)
scene { cell = 0 }
