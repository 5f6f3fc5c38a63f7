-- An explosion in a room with a door: a charge under a table throws dust and fire out through the door, and the rest rises under the
-- ceiling, which is of glass.
local resolution = param("resolution", 20) -- cells a metre

scene { title = "Explosion", fluid = "fire", cell = 1 / resolution, frames = 60, fps = 24 }
walls { min = {0, 0, 0}, max = {4, 1.8, 2}, right = "open", top = "open" }
fire { model = "simple", fuel = { name = "petrol", soot = 0.3 }, cooling = 3000, confinement = 6, buoyancy_heat = 0.014 }

obstacle { shape = difference { box { min = {2, -1, -0.05}, max = {2.15, 1.5, 2.05} }, box { min = {1.9, -2, 0.65}, max = {2.3, 1.05, 1.35} } },
           color = {0.62, 0.58, 0.52} }
obstacle { shape = box { min = {-0.05, 1.4, -0.05}, max = {1.99, 1.5, 2.05} }, glass = true }
obstacle { shape = box { min = {0.55, 0.5, 0.6}, max = {1.15, 0.56, 1.5} }, color = {0.45, 0.3, 0.2} } -- a table top

-- Dust on the floor, thinner towards the sides of the box.
initial { density = function(x, y, z)
    local side, front = (x - 1.7) / 1.6, (z - 1) / 0.8
    return y < 0.06 and 0.15 * math.max(0, 1 - side * side - front * front) or 0
end }
local bottle = union { sphere { center = {0.75, 0.25, 0.9}, radius = 0.2 }, sphere { center = {1, 0.2, 1.15}, radius = 0.15 } }
fill { shape = bottle, fuel = 1, density = 0, temperature = 900 }
charge { shape = bottle, energy = 5e5, start = 0.05, stop = 0.2 }

camera { position = {5.4, 2.6, 4.4}, target = {1.9, 0.55, 1} }
light { direction = {0.6, 1, 0.5}, intensity = 0.3 }
look { show_walls = true, ambient_light = 0.12, smoke_color = {0.45, 0.42, 0.4}, absorption = 9, fire_brightness = 2 }
