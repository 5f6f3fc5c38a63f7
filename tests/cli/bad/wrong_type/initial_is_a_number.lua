-- expects: initial_is_a_number.lua:3: initial.density is 1; it must be a function(x, y, z) that returns a number, 0 or more
scene { cell = 0.1 }
initial { density = 1 }
