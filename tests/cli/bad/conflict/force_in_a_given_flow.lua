-- expects: force_in_a_given_flow.lua:4: force is given, and flow.velocity says how the fluid moves; leave one out
scene { cell = 0.1, frames = 5 }
flow { velocity = {1, 0, 0} }
force { acceleration = {0, 1, 0} }
