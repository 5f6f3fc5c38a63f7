-- expects: force_of_two_kinds.lua:3: force.acceleration is given; this field has no use for it
scene { cell = 0.1 }
force { field = "drag", strength = 1, acceleration = {1, 0, 0} }
