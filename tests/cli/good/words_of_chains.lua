scene { cell = 0.05, fluid = "liquid", dimension = 2 }
walls { min = {0, 0}, max = {1, 1} }
fill { shape = box { min = {0, 0}, max = {1, 0.5} } }
liquid { method = "chain" }
look { revolve = true }
camera { position = {2, 2, 3}, target = {0, 0.3, 0} }
