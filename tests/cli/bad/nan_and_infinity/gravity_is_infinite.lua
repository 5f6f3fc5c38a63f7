-- expects: gravity_is_infinite.lua:2: scene.gravity is {0, -inf, 0}; it must be a vector {x, y, z} (m/s^2), keys or a function of time
scene { cell = 0.1, gravity = {0, -math.huge, 0} }
