-- expects: pump_velocity.lua:3: pump.velocity is missing; it must be a vector {x, y, z} (m/s), keys or a function of time
scene { cell = 0.1 }
pump { shape = sphere { center = {0, 0, 0}, radius = 1 } }
