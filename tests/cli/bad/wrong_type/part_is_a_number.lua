-- expects: part_is_a_number.lua:3: union has 5 as part 2; it must be a shape
scene { cell = 0.1 }
obstacle { shape = union { sphere { center = {0, 0, 0}, radius = 1 }, 5 } }
