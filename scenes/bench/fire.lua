-- The fire scene of bench/rivals/blender_fluid.py: a box of 2 m with open sides, a ball of fuel of radius 0.25 m whose centre is 0.45 m
-- above the floor, one step a frame, volumes written. Blender burns a scalar, as the simple model does; the thin flame is the other.
local cells = param("cells", 64) -- along a side
local model = param("model", "simple")

scene { title = "Ball of fuel", fluid = "fire", cell = 2 / cells, frames = param("frames", 30), fps = 24, steps = 1 }
walls { min = {-1, 0, -1}, max = {1, 2, 1},
        left = "open", right = "open", back = "open", front = "open", bottom = "open", top = "open" }
fire { model = model, fuel = "propane", advection = "maccormack", buoyancy_heat = 0.001 } -- slow, for one step a frame
solver { tolerance = 1e-4 }
emitter { shape = sphere { center = {0, 0.45, 0}, radius = 0.25 }, fuel = 1, temperature = model == "simple" and 900 or nil }
-- Blender's own cache is 16 bits deep and compressed by Blosc.
output { movie = false, vdb = true, half = true, vdb_compression = "blosc", checkpoint_every = 0 }
