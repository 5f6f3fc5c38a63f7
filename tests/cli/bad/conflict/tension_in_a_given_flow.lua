-- expects: tension_in_a_given_flow.lua:3: liquid.surface_tension is given, and flow.velocity says how the fluid moves; leave one out
scene { cell = 0.1, frames = 5, fluid = "liquid" }
liquid { surface_tension = 0.07 }
flow { velocity = {1, 0, 0} }
