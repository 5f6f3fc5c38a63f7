-- expects: outflow_with_velocity.lua:3: walls.right.velocity is given, but the side is an outflow; an inflow or a wall has one
scene { cell = 0.1 }
walls { min = {0, 0, 0}, max = {1, 1, 1}, right = { kind = "outflow", velocity = {1, 0, 0} } }
