-- expects: radius.lua:3: sphere.radius is missing; it must be a number above 0 (m)
scene { cell = 0.1 }
fill { shape = sphere { center = {0, 0, 0} } }
