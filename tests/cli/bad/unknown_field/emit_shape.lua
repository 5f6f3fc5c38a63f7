-- expects: emit_shape.lua:3: obstacle.emit has no field "shape"; known: kind, velocity, density, density_rate, temperature, fuel, flow, viscosity, offset, spread, falloff, noise, color, start, stop
scene { cell = 0.1 }
obstacle { shape = sphere { center = {0, 0, 0}, radius = 1 }, emit = { shape = sphere { center = {0, 0, 0}, radius = 1 }, density = 1 } }
