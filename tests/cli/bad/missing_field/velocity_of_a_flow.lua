-- expects: velocity_of_a_flow.lua:3: flow.velocity is missing; it must be a vector {x, y, z} (m/s), keys or a function(x, y, z, t)
scene { cell = 0.1, frames = 5 }
flow {}
