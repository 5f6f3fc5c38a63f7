-- expects: position_and_velocity.lua:3: obstacle.motion.position and obstacle.motion.velocity are both given; leave one out
scene { cell = 0.1 }
obstacle { shape = sphere { center = {0, 0, 0}, radius = 1 }, motion = { position = {0, 0, 0}, velocity = {1, 0, 0} } }
