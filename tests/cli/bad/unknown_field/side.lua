-- expects: side.lua:3: walls.left has no field "velocty"; did you mean "velocity"? known: kind, velocity, temperature, color, slip, part
scene { cell = 0.1 }
walls { min = {0, 0, 0}, max = {1, 1, 1}, left = { kind = "inflow", velocty = {1, 0, 0} } }
