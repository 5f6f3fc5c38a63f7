-- expects: parameters_of_another_fluid.lua:4: smoke is given, but scene.fluid is "stable" and has no use for it; leave it out
scene { cell = 0.1, fluid = "stable" }
walls { min = {0, 0, 0}, max = {1, 1, 1} }
smoke { }
