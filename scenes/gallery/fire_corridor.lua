-- A wall of fire runs down a corridor: its carpet burns, the flames lean into the draught that they make, and behind them the carpet is spent.
local resolution = param("resolution", 32) -- cells a metre

scene { title = "A wall of fire", fluid = "fire", cell = 1 / resolution, frames = 72, fps = 24 }
walls { min = {-1, 0, 0}, max = {4, 1.5, 1}, left = "open", right = "open" }
fire { fuel = { name = "wood_gas", density_products = 0.4, soot = 1.5 }, rise = 0.1, cooling = 4000, buoyancy_heat = 0.008, confinement = 3 }

local function rate(x, y, z, t) return 0.0016 * (0.7 + 0.5 * math.sin(9 * x) * math.sin(13 * z + 5 * t)) end
obstacle { shape = box { min = {0.15, -0.2, 0.04}, max = {3.85, 0.05, 0.96} }, color = {0.45, 0.16, 0.14},
           fuel = { rate = rate, thickness = 0.0016, heating = 0.5, spread = 0.9, lit = box { min = {0, -1, -1}, max = {0.5, 1, 2} } } }
obstacle { shape = box { min = {-1.05, -0.1, -0.15}, max = {4.05, 1.55, -0.01} }, color = {0.62, 0.6, 0.55} } -- its far wall

camera { position = {3.4, 1, 3.3}, target = {1.85, 0.62, 0.4} }
light { direction = {0.3, 1, 0.6}, color = {0.6, 0.7, 1}, intensity = 0.15 }
look { show_walls = true, ambient_light = 0.06, background = {0.02, 0.02, 0.03}, fire_brightness = 1.5, absorption = 6 }
