-- expects: radius_is_negative.lua:3: sphere.radius is -1; it must be a number above 0 (m)
scene { cell = 0.1 }
fill { shape = sphere { center = {0, 0, 0}, radius = -1 } }
