-- expects: center_has_nan.lua:3: sphere.center is {0, nan, 0}; it must be a vector {x, y, z} (m)
scene { cell = 0.1 }
fill { shape = sphere { center = {0, 0 / 0, 0}, radius = 1 } }
