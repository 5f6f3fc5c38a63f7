-- expects: chains_without_walls.lua:3: liquid.method is "chain", which needs walls: chains lie in a box
scene { cell = 0.1, frames = 5, fluid = "liquid", dimension = 2 }
liquid { method = "chain" }
fill { shape = box { min = {0, 0}, max = {0.5, 0.5} } }
