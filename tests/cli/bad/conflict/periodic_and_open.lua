-- expects: periodic_and_open.lua:3: walls.left is given, and x is periodic; leave one out
scene { cell = 0.1 }
walls { min = {0, 0, 0}, max = {1, 1, 1}, left = "open", periodic = {"x"} }
