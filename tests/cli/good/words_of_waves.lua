scene { cell = 0.05, fluid = "waves" }
waves { method = "sum" }
