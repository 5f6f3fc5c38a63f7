-- expects: returns_a_number_for_a_vector.lua:3: obstacle.motion.position at t = 5 is 5; it must be a vector {x, y, z} (m)
scene { cell = 0.1 }
obstacle { shape = sphere { center = {0, 0, 0}, radius = 1 }, motion = { position = function(t) return t end } }
