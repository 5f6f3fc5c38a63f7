-- expects: slip_above_one.lua:3: walls.slip is 2; it must be a number from 0 to 1
scene { cell = 0.1 }
walls { min = {0, 0, 0}, max = {1, 1, 1}, slip = 2 }
