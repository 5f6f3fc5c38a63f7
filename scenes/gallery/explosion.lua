-- An explosion in a room with a door: a charge under a table throws dust and fire out through the door, and the rest fills the room. The
-- room is cut open: its front and its ceiling are of glass. Outside of it the box is open all round.
local resolution = param("resolution", 24) -- cells a metre

scene { title = "Explosion", fluid = "fire", cell = 1 / resolution, frames = 60, fps = 24 }
walls { min = {0, 0, -0.75}, max = {5, 2.25, 2.75}, right = "open", back = "open", front = "open", top = "open" }
fire { model = "simple", fuel = { name = "petrol", soot = 0.3 }, cooling = 3000, confinement = 6, buoyancy_heat = 0.014 }

local plaster = {0.62, 0.58, 0.52}
obstacle { shape = difference { box { min = {2, -1, -0.12}, max = {2.15, 1.5, 2.08} }, box { min = {1.9, -2, 0.65}, max = {2.3, 1.05, 1.35} } },
           color = plaster }
obstacle { shape = box { min = {-0.12, -1, -0.12}, max = {2.05, 1.5, -0.01} }, color = plaster } -- its back
obstacle { shape = box { min = {-0.12, -1, -0.12}, max = {-0.01, 1.5, 2.08} }, color = plaster } -- and its far side
obstacle { shape = box { min = {-0.12, -1, 2}, max = {2.05, 1.5, 2.08} }, glass = true }
obstacle { shape = box { min = {-0.12, 1.42, -0.12}, max = {2.05, 1.5, 2.08} }, glass = true }
obstacle { shape = box { min = {0.55, 0.5, 0.6}, max = {1.15, 0.56, 1.5} }, color = {0.45, 0.3, 0.2} } -- a table top

-- Dust on the floor of the room and before its door.
initial { density = function(x, y, z)
    local side, front = (x - 1.5) / 1.4, (z - 1) / 0.8
    return y < 0.06 and 0.15 * math.max(0, 1 - side * side - front * front) or 0
end }
local bottle = union { sphere { center = {0.75, 0.25, 0.9}, radius = 0.2 }, sphere { center = {1, 0.2, 1.15}, radius = 0.15 } }
fill { shape = bottle, fuel = 1, density = 0, temperature = 900 }
charge { shape = bottle, energy = 5e5, start = 0.05, stop = 0.2 }

camera { position = {5.6, 2.7, 4.6}, target = {2, 0.6, 1} }
light { direction = {0.6, 1, 0.5}, intensity = 0.3 }
look { ambient_light = 0.12, smoke_color = {0.45, 0.42, 0.4}, absorption = 9, fire_brightness = 2 }
