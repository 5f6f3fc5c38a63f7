-- An explosion in a room with a door: a charge beside a crate throws dust and fire out through the door, into the open.
local resolution = param("resolution", 24) -- cells a metre

scene { title = "Explosion", fluid = "fire", cell = 1 / resolution, frames = 60, fps = 24 }
-- The room is x < 2, closed all round but for its door; in front of it all is open.
local outside = box { min = {2.2, -1, -2}, max = {6, 4, 4} }
walls { min = {0, 0, 0}, max = {4.5, 2.25, 2}, right = "open", top = { kind = "open", part = outside },
        front = { kind = "open", part = outside }, back = { kind = "open", part = outside } }
fire { model = "simple", fuel = { name = "petrol", soot = 0.3 }, cooling = 3000, confinement = 6, buoyancy_heat = 0.014 }

local plaster = {0.62, 0.58, 0.52}
obstacle { shape = difference { box { min = {2, -1, -0.12}, max = {2.15, 1.5, 2.12} }, box { min = {1.9, -2, 0.6}, max = {2.3, 1.05, 1.4} } },
           color = plaster }
obstacle { shape = box { min = {-0.12, 1.4, -0.12}, max = {2, 1.5, 2.12} }, color = plaster } -- the ceiling
-- The side that is seen from outside, and those that are seen through the door.
obstacle { shape = union { box { min = {-0.12, 0, 2}, max = {2, 1.5, 2.12} }, box { min = {-0.12, 0, -0.12}, max = {2, 1.5, 0} },
                           box { min = {-0.12, 0, -0.12}, max = {0, 1.5, 2.12} } }, color = plaster }
obstacle { shape = box { min = {1.35, -1, 0.25}, max = {1.75, 0.4, 0.65} }, color = {0.45, 0.3, 0.2} } -- a crate

-- Dust on the floor.
initial { density = function(x, y, z)
    local side, front = (x - 1.9) / 1.7, (z - 1) / 0.9
    return y < 0.09 and 1.5 * math.max(0, 1 - side * side - front * front) or 0
end }
local bottle = union { sphere { center = {0.95, 0.4, 0.85}, radius = 0.32 }, sphere { center = {1.15, 0.35, 1.2}, radius = 0.25 } }
fill { shape = bottle, fuel = 1, density = 0, temperature = 900 }
charge { shape = bottle, energy = 7e5, start = 0.05, stop = 0.2 }

camera { position = {5.0, 1.1, 3.6}, target = {2.5, 0.75, 1.1} }
light { direction = {0.6, 1, 0.8}, intensity = 0.6 }
look { ambient_light = 0.2, smoke_color = {0.45, 0.42, 0.4}, absorption = 9, fire_brightness = 1.2 }
