-- expects: keys_of_numbers_for_a_vector.lua:3: obstacle.motion.velocity is keys of other values; each value must be a vector {x, y, z} (m/s)
scene { cell = 0.1, dimension = 2 }
obstacle { shape = sphere { center = {0, 0}, radius = 1 }, motion = { velocity = keys { {0, 0}, {1, 2} } } }
