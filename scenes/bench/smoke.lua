-- The gas scene of bench/rivals/blender_fluid.py: a box of 2 m with open sides, a ball of smoke of radius 0.25 m whose
-- centre is 0.45 m above the floor, one step a frame, volumes written. "dense" keeps every tile of the box awake, "sparse"
-- only those near the smoke, without a box.
local cells = param("cells", 64) -- along a side
local is_dense = param("dense", true)

scene { title = "Ball of smoke", fluid = "smoke", cell = 2 / cells, frames = param("frames", 30), fps = 24, steps = 1 }
if is_dense then
    walls { min = {-1, 0, -1}, max = {1, 2, 1},
            left = "open", right = "open", back = "open", front = "open", bottom = "open", top = "open" }
end
smoke { advection = "maccormack" }
solver { tolerance = 1e-4 }
emitter { shape = sphere { center = {0, 0.45, 0}, radius = 0.25 }, density = 1, temperature = 320 }
-- Blender's own cache is 16 bits deep and compressed by Blosc.
output { movie = false, vdb = true, half = true, vdb_compression = "blosc", checkpoint_every = 0 }
