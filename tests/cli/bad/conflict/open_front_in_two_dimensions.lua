-- expects: open_front_in_two_dimensions.lua:3: walls.front is given; the scene has dimension 2 and no such side
scene { cell = 0.1, dimension = 2 }
walls { min = {0, 0}, max = {1, 1}, front = "open" }
