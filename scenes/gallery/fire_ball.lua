-- A wooden ball passes through a gas flame and catches fire: a solid fuel that gives off gas where it is hot enough (Fedkiw 2003, fig. 6).
local resolution = param("resolution", 40) -- cells a metre

scene { title = "A ball catches fire", fluid = "fire", cell = 1 / resolution, frames = 72, fps = 24 }
walls { min = {-1, 0, -0.75}, max = {1.25, 2, 0.75}, left = "open", right = "open", back = "open", front = "open", top = "open" }
fire { fuel = { name = "wood_gas", density_products = 0.4, soot = 1.2 }, rise = 0.08, cooling = 5000, buoyancy_heat = 0.006, confinement = 5 }

emitter { shape = cylinder { from = {-0.1, 0.02, 0}, to = {-0.1, 0.1, 0}, radius = 0.14 }, fuel = 1, velocity = {0, 1.2, 0} }
obstacle { shape = cylinder { from = {-0.1, -0.1, 0}, to = {-0.1, 0.05, 0}, radius = 0.2 }, color = {0.4, 0.4, 0.42} }
obstacle { shape = sphere { center = {0, 0, 0}, radius = 0.14 }, color = {0.62, 0.42, 0.25},
           fuel = { rate = 0.0015, thickness = 0.02, heating = 6, spread = 0.1 },
           motion = { position = function(t) return {-0.8 + 0.9 * t, 0.5, 0} end } }

camera { position = {0.5, 0.85, 2.7}, target = {0.1, 0.68, 0} }
light { direction = {-0.5, 1, 0.5}, color = {0.6, 0.7, 1}, intensity = 0.3 }
look { ambient_light = 0.07, background = {0.025, 0.03, 0.04}, fire_brightness = 1.5, absorption = 8 }
