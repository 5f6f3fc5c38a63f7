-- expects: walls_max.lua:3: walls.max is missing; it must be a vector {x, y, z} (m)
scene { cell = 0.1 }
walls { min = {0, 0, 0} }
