-- expects: torus_too_thick.lua:3: torus.thickness is 2 m, torus.radius is 1 m; the tube must not be thicker than the ring
scene { cell = 0.1 }
fill { shape = torus { center = {0, 0, 0}, radius = 1, thickness = 2 } }
