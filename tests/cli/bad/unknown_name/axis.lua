-- expects: axis.lua:3: walls.periodic is {"w"}; it must be a list of axes, such as {"x", "z"}
scene { cell = 0.1 }
walls { min = {0, 0, 0}, max = {1, 1, 1}, periodic = {"w"} }
