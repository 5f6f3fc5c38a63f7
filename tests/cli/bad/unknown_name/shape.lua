-- expects: shape.lua:3: "spere" is not defined; did you mean "sphere"?
scene { cell = 0.1 }
fill { shape = spere { center = {0, 0, 0}, radius = 1 } }
