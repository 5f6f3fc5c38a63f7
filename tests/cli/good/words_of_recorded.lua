scene { cell = 0.05, fluid = "recorded" }
recorded { run = "out/water" }
smoke { buoyancy_heat = 0.03 } -- added to the water
