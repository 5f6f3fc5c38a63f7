-- Foster and Metaxas 1996, figure 10: two large ocean waves crash into a shallow cove, whose rocks and bottom focus
-- them. 50 x 15 x 40 cells of a metre, as they had. The swell is driven by a pressure on the water far out; behind it
-- the sea goes on. --set ours=true is the same by a projection, on 64 times the cells.
local ours = param("ours", false)
local resolution = param("resolution", ours and 4 or 1) -- cells a metre; theirs has 1
local scheme = param("scheme", ours and "split" or "explicit")
local detail = param("detail", 0) -- m, of noise between the pixels of the ground; pictures take three times as long with it
local level = 7

scene { title = "Moonlight Cove", fluid = "liquid", cell = 1 / resolution, duration = 20, fps = 12 }

walls { min = {0, 0, 0}, max = {50, 15, 40}, front = "outflow", top = "open" }
liquid {
    method = "height", scheme = scheme,
    spray = { speed = 2.4, rate = 30, radius = 0.05, spread = 0.25, breakup = 0.8, drag = 0.03 },
    foam = { life = 3, spread = 2.5 },
}
fill { shape = box { min = {-1, -1, -1}, max = {51, level, 41} } }

obstacle { shape = heightmap { file = "meshes/cove.pgm", scale = 0.5, height = 15, detail = detail }, color = {0.42, 0.38, 0.33} }

-- Two waves of five and a half seconds.
surface_pressure {
    pressure = function(x, y, z, t)
        local away = (z - 27) / 4
        return 9000 * math.sin(2 * math.pi * t / 5.5) * math.exp(-away * away)
    end,
    stop = 11,
}

camera { position = {31, 19, 42}, target = {21, 4.5, 12}, field_of_view = deg(36) }
light { direction = {-0.5, 0.55, -0.6}, color = {0.8, 0.88, 1}, intensity = 1.1 }
light { direction = {0.7, 0.6, 0.4}, color = {0.35, 0.45, 0.7}, intensity = 0.35 }
look { water_color = {0.1, 0.28, 0.36}, water_absorption = 0.35, ripples = 0.09,
       background = {0.03, 0.05, 0.1}, ambient_light = 0.3, show_ground = false }

output { movie = true }
