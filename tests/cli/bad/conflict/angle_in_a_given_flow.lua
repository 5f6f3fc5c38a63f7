-- expects: angle_in_a_given_flow.lua:3: liquid.contact_angle is given, and flow.velocity says how the fluid moves; leave one out
scene { cell = 0.1, frames = 5, fluid = "liquid" }
liquid { contact_angle = deg(60) }
flow { velocity = {1, 0, 0} }
