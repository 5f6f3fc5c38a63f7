-- The liquid scene of bench/rivals/blender_fluid.py: a closed box of 2 m, a block of water of half its length, half its height and
-- all of its width, four steps a frame, fields and particles written. Eight particles a cell.
local resolution = param("resolution", 64) -- cells along a side
local viscosity = param("viscosity", 0) -- m^2/s
local band = param("band", 6) -- cells of particles below the surface; 0: everywhere

scene { title = "Dam break", fluid = "liquid", cell = 2 / resolution, frames = param("frames", 40), fps = 24, steps = 4 }
walls { min = {-1, 0, -1}, max = {1, 2, 1} }
fill { shape = box { min = {-1, 0, -1}, max = {0, 1, 1} } }
solver { tolerance = 1e-4 }
liquid { narrow_band = band * 2 / resolution, viscosity = viscosity }
-- Blender's own cache is 16 bits deep and compressed by Blosc.
output { movie = false, vdb = true, half = true, vdb_compression = "blosc", particles = true, checkpoint_every = 0 }
