-- Foster and Metaxas 1996, figure 4 (a) to (d): a jet of water, 0.8 m/s, splashes into a concrete tank, on
-- 30 x 40 cells with marker particles, by their explicit scheme. After 1.5 s the jet is turned off.
local ours = param("ours", false)   -- by our own method, at four times the cells along each axis
local n = param("resolution", ours and 120 or 30)   -- cells across; theirs has 30
local cell = 0.3 / n

scene { title = "Jet into a tank", fluid = "liquid", dimension = 2, cell = cell, frames = 150, fps = 30 }
walls { min = {0, 0}, max = {0.3, 0.4}, top = "open" }
obstacle { shape = box { min = {-1, 0.18}, max = {0.04, 0.2} } }  -- the ledge that the jet leaves
emitter { shape = box { min = {0, 0.2}, max = {0.02, 0.23} }, kind = "spout", velocity = {0.8, 0}, stop = 1.5 }
if ours then
    liquid { viscosity = 1e-5 }
else
    liquid { method = "markers", scheme = "explicit", volume_correction = param("volume_correction", 0.5), -- theirs has none: 0
             viscosity = 1e-5, particles_per_cell = 3 }
    solver { pressure = "relaxation", relaxation = 1.7, divergence_max = 1e-4, iterations_max = 1000 }
    look { water = "particles" }
end
output { movie = true }
