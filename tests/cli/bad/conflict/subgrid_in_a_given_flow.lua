-- expects: subgrid_in_a_given_flow.lua:3: smoke.subgrid is given, and flow.velocity says how the fluid moves; leave one out
scene { cell = 0.1, frames = 5 }
smoke { subgrid = 0.1 }
flow { velocity = {1, 0, 0} }
