-- expects: steps_and_cfl.lua:2: scene.steps and scene.cfl are both given; leave one out
scene { cell = 0.1, steps = 4, cfl = 2 }
