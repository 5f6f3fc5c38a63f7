-- A short rod of water floats without weight. Its surface pulls it together: it becomes a disc, a rod again, and swings
-- on as a drop that ever less departs from a ball.
local resolution = param("resolution", 1600) -- cells a metre

scene { title = "Oscillating drop", fluid = "liquid", cell = 1 / resolution, duration = 0.6, fps = 120, gravity = {0, 0, 0} }

liquid { method = param("method", "apic"), surface_tension = 0.072, viscosity = 1e-6 }

fill { shape = capsule { from = {-0.009, 0, 0}, to = {0.009, 0, 0}, radius = 0.007 } }

output { movie = true }
