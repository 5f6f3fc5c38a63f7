-- expects: run.lua:2: recorded.run is missing; scene.fluid "recorded" needs the folder of a run
scene { cell = 0.1, fluid = "recorded" }
