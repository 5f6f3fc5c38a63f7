-- expects: cell_is_infinite.lua:2: scene.cell is inf; it must be a number above 0 (m)
scene { cell = math.huge }
