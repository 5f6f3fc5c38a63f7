-- expects: of_position_fails.lua:3: initial.density at (1, 1, 1) failed: of_position_fails.lua:3: attempt to concatenate a table value
scene { cell = 0.1 }
initial { density = function(x, y, z) return x .. {} end }
