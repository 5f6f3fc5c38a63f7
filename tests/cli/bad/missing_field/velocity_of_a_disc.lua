-- expects: velocity_of_a_disc.lua:3: emitter.velocity is missing, and the shape is flat: without a flow across it nothing comes out; give velocity, or a shape with an inside
scene { cell = 0.1 }
emitter { shape = disc { center = {0, 1, 0}, normal = {0, 1, 0}, radius = 0.5 }, density = 1 }
