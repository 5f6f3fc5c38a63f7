-- Foster and Metaxas 1996, figure 12: water flows into a closed container and carries soda cans along; when the flow
-- is turned off they gather at the far corner, where walls that do not let the water slip keep it still. 30 x 10 x 20
-- cells, as they had; the cans are bodies that ride. Other cans in the same water, which is not computed again:
--   billow run soda_cans.lua --set record=1 -o out/water
--   billow run soda_cans.lua --set run=out/water --set cans=20 --set row=5 -o out/cans
local ours = param("ours", false) -- at four times the cells along each axis
local resolution = param("resolution", ours and 40 or 10) -- cells a metre; theirs has 10
local count = param("cans", 12)
local row = param("row", 4) -- cans in a row at the start
local run = param("run", "") -- the folder of a recorded run; none: the water is computed
local is_recorded = run ~= ""

scene {
    title = "Soda cans", fluid = is_recorded and "recorded" or "liquid", cell = 1 / resolution, duration = 12, fps = 24,
}

-- Water pours in along all of the left end for six seconds. It is as thick as their scheme asks for on such cells, a hundredth of
-- a m^2/s: steps are stable up to 2 viscosity / speed^2.
walls {
    min = {0, 0, 0}, max = {3, 1, 2}, slip = 0, top = "open",
    left = {
        kind = function(t) return t < 6 and "inflow" or "wall" end,
        velocity = function(t) return {0.9 * math.min(1, math.max(0, 6 - t)), 0, 0} end,
        part = box { min = {-1, 0.3, 0}, max = {1, 0.5, 2} },
    },
}
if is_recorded then
    recorded { run = run }
else
    liquid { method = "levelset", viscosity = 1e-2 }
    fill { shape = box { min = {0, 0, 0}, max = {3, 0.3, 2} } }
end

obstacle { shape = cylinder { from = {1.6, -0.1, 0.9}, to = {1.6, 0.75, 0.9}, radius = 0.15 }, color = {0.5, 0.5, 0.52} }

-- Cans of 33 cl are 6.6 cm wide; these are three times as large, to be seen on this grid.
local can = cylinder { from = {0, -0.17, 0}, to = {0, 0.17, 0}, radius = 0.1 }
local paints = {{0.8, 0.1, 0.1}, {0.1, 0.35, 0.75}, {0.85, 0.7, 0.1}, {0.15, 0.6, 0.25}}
for n = 0, count - 1 do
    body {
        shape = can, material_density = 350, damping = 2, color = paints[n % 4 + 1],
        position = {0.5 + 0.28 * (n % row), 0.4, 0.35 + 0.35 * math.floor(n / row)},
        rotation = {0, 0.7 * n, 0.5 * math.pi * (n % 3 > 0 and 1 or 0)},
    }
end

camera { position = {4.3, 2.9, 4.1}, target = {1.55, 0.15, 0.95}, field_of_view = deg(34) }
light { direction = {0.3, 1, 0.5} }
light { direction = {-0.8, 0.5, -0.2}, color = {0.6, 0.75, 1}, intensity = 0.4 }
look { water_color = {0.25, 0.55, 0.6}, water_absorption = 2, show_walls = true }

output { movie = true, record = not is_recorded and param("record", 0) == 1 }
