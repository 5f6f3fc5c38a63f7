-- A liquid in a flow that it is given.
scene { fluid = "liquid", cell = 0.05, frames = 2 }
walls { min = {-1, -1, -1}, max = {1, 1, 1} }
liquid { method = "particle_levelset", correction_side = "inside", volume_correction = 0 }
fill { shape = sphere { center = {0, 0.5, 0}, radius = 0.3 } }
flow { velocity = function(x, y, z, t) return {-y * t, x * t, 0} end }
