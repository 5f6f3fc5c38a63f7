-- The dam break of Martin and Moyce (1952) in two dimensions: a square column of water runs along a floor and up the far wall.
local resolution = param("resolution", 96) -- cells a metre

scene { title = "Dam break in 2-D", fluid = "liquid", dimension = 2, cell = 1 / resolution, duration = 6, fps = 24 }

walls { min = {0, 0}, max = {3, 1.5} }

fill { shape = box { min = {0, 0}, max = {0.75, 0.75} } }

output { movie = true }
