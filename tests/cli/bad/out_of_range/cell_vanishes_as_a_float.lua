-- expects: cell_vanishes_as_a_float.lua:2: scene.cell is 1e-60; it must be a number above 0 (m)
scene { cell = 1e-60 }
