-- expects: inflow_velocity.lua:3: walls.left.velocity is missing; an inflow needs it
scene { cell = 0.1 }
walls { min = {0, 0, 0}, max = {1, 1, 1}, left = "inflow" }
