-- expects: rain_on_a_height_field.lua:3: walls.top is an inflow; with liquid.method = "height" water comes in through the other sides, and from emitters
scene { cell = 0.1, frames = 5, fluid = "liquid" }
walls { min = {0, 0, 0}, max = {1, 1, 1}, top = { kind = "inflow", velocity = {0, -1, 0} } }
liquid { method = "height" }
