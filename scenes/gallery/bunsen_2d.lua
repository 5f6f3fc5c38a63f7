-- A Bunsen burner in 2-D: premixed gas comes in at a multiple of the flame's speed, and the blue cone of its front is as long as it takes to
-- burn all of it. Try --set speed=1 and --set speed=4.
local resolution, speed = param("resolution", 64), param("speed", 2) -- cells a metre, m/s

scene { title = "Bunsen burner", fluid = "fire", dimension = 2, cell = 1 / resolution, frames = 72, fps = 24, gravity = {0, 0} }
local mouth = cylinder { from = {0.5, -1, 0}, to = {0.5, 1 / resolution, 0}, radius = 0.1875 }
walls { min = {0, 0}, max = {1, 1.375}, left = "open", right = "open", top = "open",
        bottom = { kind = "inflow", velocity = {0, speed}, part = mouth } }
fire { fuel = { name = "propane", flame_speed = 0.5, density_products = 0.4 }, subgrid = 0 }
emitter { shape = mouth, fuel = 1 } -- what the pipe lets in is fuel

look { fire_brightness = 0.1, core_brightness = 1 }
output { width = 480, height = 640 }
