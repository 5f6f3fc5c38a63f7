-- expects: height_field_in_a_given_flow.lua:3: liquid.method is given, and flow.velocity says how the fluid moves; leave one out
scene { cell = 0.1, frames = 5, fluid = "liquid" }
liquid { method = "height" }
walls { min = {0, 0, 0}, max = {1, 1, 1} }
fill { shape = box { min = {0, 0, 0}, max = {0.5, 0.5, 1} } }
flow { velocity = {1, 0, 0} }
