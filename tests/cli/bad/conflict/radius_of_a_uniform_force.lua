-- expects: radius_of_a_uniform_force.lua:3: force.radius is given; this field has no use for it
scene { cell = 0.1 }
force { acceleration = {0, 0, 1}, radius = 2 }
