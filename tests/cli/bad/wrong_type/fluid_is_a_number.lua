-- expects: fluid_is_a_number.lua:2: scene.fluid is 3; it must be one of smoke, liquid, fire, waves, sph, stable, recorded
scene { cell = 0.1, fluid = 3 }
