-- expects: z_in_two_dimensions.lua:2: scene.gravity has z = 1; the scene has dimension 2, so z must be 0
scene { cell = 0.1, dimension = 2, gravity = {0, -9.81, 1} }
