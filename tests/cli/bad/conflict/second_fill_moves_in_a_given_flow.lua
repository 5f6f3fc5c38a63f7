-- expects: second_fill_moves_in_a_given_flow.lua:4: fill.velocity is given, and flow.velocity says how the fluid moves; leave one out
scene { cell = 0.1, frames = 5 }
fill { shape = sphere { center = {0, 0, 0}, radius = 1 } }
fill { shape = sphere { center = {0, 2, 0}, radius = 1 }, velocity = {0, 1, 0} }
flow { velocity = keys { {0, {1, 0, 0}}, {1, {2, 0, 0}} } }
