-- expects: dimension_is_four.lua:2: scene.dimension is 4; it must be a whole number from 2 to 3
scene { cell = 0.1, dimension = 4 }
