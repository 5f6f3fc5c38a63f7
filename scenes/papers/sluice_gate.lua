-- Foster and Metaxas 1996, figure 11: a wave from an opening sluice gate runs along a channel, over a submerged
-- pyramid, is turned by ninety degrees and crashes over a rock that stands out of the water. 40 x 12 x 40 cells, as
-- they had, of a quarter of a metre. --set ours=true is the same by a projection, on 64 times the cells.
local ours = param("ours", false)
local resolution = param("resolution", ours and 16 or 4) -- cells a metre; theirs has 4
local scheme = param("scheme", ours and "split" or "explicit")
local gate = 1.2 -- m, that is open

scene { title = "Sluice gate", fluid = "liquid", cell = 1 / resolution, duration = 12, fps = 24 }

-- Water bursts in below the gate and tails off; behind the rock it flows on.
walls {
    min = {0, 0, 0}, max = {10, 3, 10}, front = "outflow",
    left = {
        kind = function(t) return t < 6 and "inflow" or "wall" end,
        velocity = function(t) return {2.6 * math.min(1, t / 0.2) * math.exp(-t / 1.5), 0, 0} end,
        part = box { min = {-1, 0, 0.5}, max = {1, gate, 3.5} },
    },
}
liquid {
    method = "height", scheme = scheme,
    spray = { speed = 1.2, rate = 900, radius = 0.015, breakup = 2 }, foam = { life = 2.5, spread = 2 },
}
fill { shape = box { min = {-1, -1, -1}, max = {11, 1, 11} } }

-- The channel turns around a block.
obstacle { shape = box { min = {-1, -1, 4}, max = {6, 2.2, 11} }, color = {0.55, 0.53, 0.5} }
-- A pyramid below the water, as wide as the channel lets it be.
for n = 0, 3 do
    local half = 1 - n / 4
    obstacle { shape = box { min = {4 - half, n * 0.2, 2 - half}, max = {4 + half, (n + 1) * 0.2, 2 + half} }, color = {0.5, 0.42, 0.32} }
end
-- And a rock that stands out of it.
obstacle { shape = union { sphere { center = {8, 0.5, 7}, radius = 0.9 }, sphere { center = {8.4, 0.3, 6.4}, radius = 0.7 } }, color = {0.4, 0.38, 0.36} }

camera { position = {14.5, 7, -5.5}, target = {5.4, 0.3, 3.6}, field_of_view = deg(34) }
light { direction = {-0.3, 1, 0.4} }
light { direction = {0.8, 0.5, -0.4}, color = {0.6, 0.75, 1}, intensity = 0.4 }
look { water_color = {0.2, 0.48, 0.55}, water_absorption = 0.9, ripples = 0.04 }

output { movie = true }
