-- Foster and Metaxas 1996, figures 7 and 9: a marble drops into a bowl of thick soup, on 15 x 30 cells. Half of the bowl is
-- computed, flat, with the marble as a drop of the soup itself; chains of surface particles are its surfaces, by their explicit
-- scheme. It is drawn turned about the axis, `--set flat=true` as it was computed. `--set mesh=true` writes the turned surface,
-- a mesh a frame.
local ours = param("ours", false)   -- by a projection, at four times the cells along each axis
local n = param("resolution", ours and 60 or 15)   -- cells across; theirs has 15
local cell = 0.15 / n

scene { title = "Marble soup", fluid = "liquid", dimension = 2, cell = cell, frames = 90, fps = 30 }
walls { min = {0, 0}, max = {0.15, 0.3} }

-- The bowl is two centimetres thick.
local rim = box { min = {-1, -1}, max = {1, 0.14} }
obstacle {
    shape = difference { intersection { rim, sphere { center = {0, 0.16}, radius = 0.17 } }, sphere { center = {0, 0.16}, radius = 0.15 } },
    color = {0.75, 0.7, 0.62},
}
fill { shape = intersection { box { min = {-1, -1}, max = {1, 0.09} }, sphere { center = {0, 0.16}, radius = 0.16 } } }
fill { shape = sphere { center = {0, 0.15}, radius = 0.025 }, velocity = {0, -0.2} }
liquid { method = "chain", scheme = ours and "split" or "explicit", viscosity = 0.003 }
if not ours then solver { pressure = "relaxation", relaxation = 1.7, divergence_max = 1e-4, iterations_max = 1000 } end

if param("flat", false) then
    look { water_color = {0.72, 0.28, 0.12} }
else
    camera { position = {0.1, 0.42, 0.52}, target = {0, 0.09, 0}, field_of_view = deg(36) }
    look { revolve = true, water_color = {0.72, 0.28, 0.12}, water_absorption = 60 }
end
output { movie = true, mesh = param("mesh", false) }
