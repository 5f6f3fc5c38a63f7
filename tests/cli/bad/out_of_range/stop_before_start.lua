-- expects: stop_before_start.lua:3: sink.stop is 1 s, sink.start is 2 s; stop must be above start
scene { cell = 0.1 }
sink { shape = sphere { center = {0, 0, 0}, radius = 1 }, start = 2, stop = 1 }
