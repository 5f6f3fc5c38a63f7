-- A fountain: a nozzle throws water half a metre up, and a drain on the floor of the pool takes as much.
local resolution = param("resolution", 80) -- cells a metre
local radius, speed = 0.045, 3
local flow = math.pi * radius ^ 2 * speed -- m^3/s

scene { title = "Fountain", fluid = "liquid", cell = 1 / resolution, duration = 5, fps = 24 }

walls { min = {-0.5, 0, -0.5}, max = {0.5, 1, 0.5}, top = "open" }

fill { shape = box { min = {-0.5, 0, -0.5}, max = {0.5, 0.2, 0.5} } }

obstacle { shape = cylinder { from = {0, -0.1, 0}, to = {0, 0.24, 0}, radius = 0.065 }, color = {0.35, 0.33, 0.3} }
emitter { shape = disc { center = {0, 0.25, 0}, normal = {0, 1, 0}, radius = radius }, velocity = {0, speed, 0} }
sink { shape = torus { center = {0, 0.06, 0}, axis = {0, 1, 0}, radius = 0.35, thickness = 0.05 }, flow = flow }

camera { position = {0.95, 0.95, 2.05}, target = {0, 0.4, 0}, field_of_view = deg(40) }
light { direction = {-0.5, 1, 0.6} }
light { direction = {0.8, 0.4, -0.3}, color = {0.6, 0.75, 1}, intensity = 0.4 }
look { show_walls = true, background = {0.3, 0.33, 0.37}, ground = {0.42, 0.42, 0.43}, ambient_light = 0.4 }

output { movie = true }
