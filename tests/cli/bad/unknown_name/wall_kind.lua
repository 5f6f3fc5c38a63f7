-- expects: wall_kind.lua:3: walls.top.kind is "opne"; known: wall, open, inflow, outflow
scene { cell = 0.1 }
walls { min = {0, 0, 0}, max = {1, 1, 1}, top = "opne" }
