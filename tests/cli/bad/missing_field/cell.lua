-- expects: cell.lua:2: scene.cell is missing; it must be a number above 0 (m)
scene { frames = 10 }
