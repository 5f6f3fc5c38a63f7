-- expects: motion_is_a_vector.lua:3: obstacle.motion has a value without a name; write name = value
scene { cell = 0.1 }
obstacle { shape = sphere { center = {0, 0, 0}, radius = 1 }, motion = {1, 2, 3} }
