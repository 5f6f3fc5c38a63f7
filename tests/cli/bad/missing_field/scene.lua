-- expects: scene.lua: scene {...} is missing; it must be called once
fill { shape = sphere { center = {0, 0, 0}, radius = 1 } }
