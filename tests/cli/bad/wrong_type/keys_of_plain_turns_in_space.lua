-- expects: keys_of_plain_turns_in_space.lua:3: obstacle.motion.spin is keys; in a scene of dimension 3 it must be a vector {x, y, z}
scene { cell = 0.1 }
obstacle { shape = sphere { center = {0, 0, 0}, radius = 1 }, motion = { spin = keys { {0, 0}, {1, 2} } } }
