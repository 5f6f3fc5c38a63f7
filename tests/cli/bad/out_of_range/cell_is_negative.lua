-- expects: cell_is_negative.lua:2: scene.cell is -0.1; it must be a number above 0 (m)
scene { cell = -0.1 }
