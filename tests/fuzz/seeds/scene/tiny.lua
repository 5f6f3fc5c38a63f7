-- The smallest scene that has everything a run writes.
local resolution = param("resolution", 8)
scene { title = "Tiny", cell = 1 / resolution, frames = 4, fps = 24 }
walls { min = {0, 0, 0}, max = {1, 2, 1}, top = "open" }
emitter { shape = sphere { center = {0.5, 0.3, 0.5}, radius = 0.2 }, density = 1, temperature = 400 }
output { images = param("images", false), keep_checkpoints = param("keep", false), width = 64, height = 48 }
