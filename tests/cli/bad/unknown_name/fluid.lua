-- expects: fluid.lua:2: scene.fluid is "smok"; known: smoke, liquid, fire, waves, sph, stable, recorded
scene { cell = 0.1, fluid = "smok" }
