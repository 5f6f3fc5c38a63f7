-- expects: box_turned_round.lua:3: box.max is {1, 1, 0}, box.min is {0, 0, 0}; max must be above min on every axis
scene { cell = 0.1 }
fill { shape = box { min = {0, 0, 0}, max = {1, 1, 0} } }
