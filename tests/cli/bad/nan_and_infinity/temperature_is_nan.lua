-- expects: temperature_is_nan.lua:3: fill.temperature is nan; it must be a number above 0 (K)
scene { cell = 0.1 }
fill { shape = sphere { center = {0, 0, 0}, radius = 1 }, temperature = 0 / 0 }
