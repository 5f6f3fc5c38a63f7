scene { cell = 0.05, fluid = "recorded" }
recorded { run = "out/water" }
body { shape = sphere { center = {0, 0, 0}, radius = 0.1 }, material_density = 300 } -- added to the water
