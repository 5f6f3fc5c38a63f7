-- A drop falls into a shallow pool, in two dimensions: two arms of spray, and a jet where the crater closes.
local resolution = param("resolution", 128) -- cells a metre

scene { title = "Drop in 2-D", fluid = "liquid", dimension = 2, cell = 1 / resolution, duration = 4, fps = 24 }

walls { min = {-1, 0}, max = {1, 1.125} }

fill { shape = box { min = {-1, 0}, max = {1, 0.25} } }
fill { shape = sphere { center = {0, 0.7}, radius = 0.12 }, velocity = {0, -2} }

output { movie = true }
