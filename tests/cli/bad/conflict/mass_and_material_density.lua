-- expects: mass_and_material_density.lua:3: body.mass and body.material_density are both given; leave one out
scene { cell = 0.1 }
body { shape = sphere { center = {0, 0, 0}, radius = 1 }, mass = 1, material_density = 500 }
