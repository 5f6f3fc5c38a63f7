-- Foster and Metaxas 1996, figure 4 (e) to (h): a drop of water splashes into a shallow pool, on 30 x 40 cells
-- with 25 marker particles in each, by their explicit scheme.
local ours = param("ours", false)   -- by our own method, at four times the cells along each axis
local n = param("resolution", ours and 120 or 30)   -- cells across; theirs has 30
local cell = 0.3 / n

scene { title = "Splashing drop", fluid = "liquid", dimension = 2, cell = cell, frames = 60, fps = 30 }
walls { min = {0, 0}, max = {0.3, 0.4} }
fill { shape = box { min = {0, 0}, max = {0.3, 0.08} } }
fill { shape = sphere { center = {0.15, 0.27}, radius = 0.045 }, velocity = {0, -1} }
if ours then
    liquid { viscosity = 1e-4 }
else
    liquid { method = "markers", scheme = "explicit", volume_correction = param("volume_correction", 0.5), -- theirs has none: 0
             viscosity = 1e-4, particles_per_cell = 4 }
    solver { pressure = "relaxation", relaxation = 1.7, divergence_max = 1e-4, iterations_max = 1000 }
    look { water = "particles" }
end
output { movie = true }
