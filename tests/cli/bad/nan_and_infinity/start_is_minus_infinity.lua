-- expects: start_is_minus_infinity.lua:3: sink.start is -inf; it must be a number, 0 or more (s)
scene { cell = 0.1 }
sink { shape = sphere { center = {0, 0, 0}, radius = 1 }, start = -math.huge }
