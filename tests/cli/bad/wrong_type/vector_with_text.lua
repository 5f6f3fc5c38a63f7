-- expects: vector_with_text.lua:3: fill.velocity is {1, "2", 3}; it must be a vector {x, y, z} (m/s)
scene { cell = 0.1 }
fill { shape = sphere { center = {0, 0, 0}, radius = 1 }, velocity = {1, "2", 3} }
