-- expects: spin_about_x_in_two_dimensions.lua:3: obstacle.motion.spin is {1, 0, 0}; a scene of dimension 2 turns about z only
scene { cell = 0.1, dimension = 2 }
obstacle { shape = sphere { center = {0, 0}, radius = 1 }, motion = { spin = {1, 0, 0} } }
