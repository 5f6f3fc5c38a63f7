-- expects: lid_through_its_wall.lua:3: walls.top is a wall with velocity 2 m/s across itself; a wall moves along itself only
scene { cell = 0.1 }
walls { min = {0, 0, 0}, max = {1, 1, 1}, top = { kind = "wall", velocity = {1, 2, 0} } }
