-- expects: cylinder_without_length.lua:3: cylinder.to is where cylinder.from is; they must be apart
scene { cell = 0.1 }
fill { shape = cylinder { from = {1, 1, 1}, to = {1, 1, 1}, radius = 1 } }
