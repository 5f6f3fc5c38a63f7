scene { cell = 0.05, fluid = "smoke" }
smoke { buoyancy_heat = 0.03, wind = {1, 0, 0}, advection = "reflection" }
