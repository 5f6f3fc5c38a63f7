-- expects: gravity_in_a_given_flow.lua:2: scene.gravity is given, and flow.velocity says how the fluid moves; leave one out
scene { cell = 0.1, frames = 5, fluid = "liquid", gravity = {0, -1, 0} }
flow { velocity = {1, 0, 0} }
