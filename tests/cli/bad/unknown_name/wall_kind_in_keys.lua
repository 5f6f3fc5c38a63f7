-- expects: wall_kind_in_keys.lua:3: walls.top.kind is "door"; known: wall, open, inflow, outflow
scene { cell = 0.1 }
walls { min = {0, 0, 0}, max = {1, 1, 1}, top = keys { {0, "wall"}, {1, "door"} } }
