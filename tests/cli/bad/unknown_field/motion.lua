-- expects: motion.lua:3: obstacle.motion has no field "speed"; known: position, velocity, rotation, spin
scene { cell = 0.1 }
obstacle { shape = sphere { center = {0, 0, 0}, radius = 1 }, motion = { speed = {1, 0, 0} } }
