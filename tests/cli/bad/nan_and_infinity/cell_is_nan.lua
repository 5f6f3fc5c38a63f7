-- expects: cell_is_nan.lua:2: scene.cell is nan; it must be a number above 0 (m)
scene { cell = 0 / 0 }
