scene { cell = 0.05, fluid = "sph" }
sph { method = "plain" }
