scene { cell = 0.05, fluid = "stable" }
stable { sweeps = 10, number = "fixed" }
