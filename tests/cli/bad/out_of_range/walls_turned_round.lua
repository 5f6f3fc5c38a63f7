-- expects: walls_turned_round.lua:3: walls.max has y = -1, min has y = 0; max must be above min
scene { cell = 0.1 }
walls { min = {0, 0, 0}, max = {1, -1, 1} }
