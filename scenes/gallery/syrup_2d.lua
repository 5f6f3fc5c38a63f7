-- A sheet of thick syrup buckles and folds onto the floor, in two dimensions.
local resolution = param("resolution", 120) -- cells a metre

scene { title = "Syrup folds", fluid = "liquid", dimension = 2, cell = 1 / resolution, frames = 96, fps = 24 }

walls { min = {-0.4, 0}, max = {0.4, 0.8}, slip = 0, left = "open", right = "open", top = "open" }
liquid { viscosity = 1, density = 1400 }
emitter { shape = rectangle { center = {0, 0.75}, normal = {0, -1}, size = {0.05, 1} }, velocity = {0, -0.5} }

look { water_color = {0.95, 0.62, 0.12} }
output { movie = true }
