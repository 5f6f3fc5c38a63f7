-- expects: emitter_within_chains.lua:6: emitter is given; liquid.method = "chain" cannot: its chains close around what is there at the start, and nothing but an open side takes of it
scene { cell = 0.1, frames = 5, fluid = "liquid", dimension = 2 }
liquid { method = "chain" }
walls { min = {0, 0}, max = {1, 1} }
fill { shape = box { min = {0, 0}, max = {0.5, 0.5} } }
emitter { shape = sphere { center = {0.5, 0.8}, radius = 0.1 }, flow = 0.1 }
