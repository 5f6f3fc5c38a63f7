-- expects: anything_to_emit.lua:3: emitter emits nothing; give it density, density_rate, temperature, fuel, flow or velocity
scene { cell = 0.1 }
emitter { shape = sphere { center = {0, 0, 0}, radius = 1 } }
