-- expects: normal_is_zero.lua:3: plane.normal is {0, 0, 0}; it must be a vector {x, y, z} that is not zero
scene { cell = 0.1 }
fill { shape = plane { point = {0, 0, 0}, normal = {0, 0, 0} } }
