scene { cell = 0.05, fluid = "fire" }
fire { soot = 0.5 }
