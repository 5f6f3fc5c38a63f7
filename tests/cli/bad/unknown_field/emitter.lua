-- expects: emitter.lua:3: emitter has no field "densty"; did you mean "density"? known: shape, kind, velocity, density, density_rate, temperature, fuel, flow, viscosity, offset, spread, falloff, noise, color, start, stop
scene { cell = 0.1 }
emitter { shape = sphere { center = {0, 0, 0}, radius = 1 }, densty = 1 }
