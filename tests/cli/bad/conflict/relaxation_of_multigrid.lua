-- expects: relaxation_of_multigrid.lua:3: solver.relaxation is given; only pressure = "relaxation" has a use for it
scene { cell = 0.1 }
solver { relaxation = 1.5 }
