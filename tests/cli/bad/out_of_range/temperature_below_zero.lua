-- expects: temperature_below_zero.lua:3: emitter.temperature is -5; it must be a number above 0 (K), keys or a function of time
scene { cell = 0.1 }
emitter { shape = sphere { center = {0, 0, 0}, radius = 1 }, temperature = -5 }
