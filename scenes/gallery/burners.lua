-- Gas burners: the same gas comes out of three pipes at twice, four and eight times the flame's speed. Each cone is as long as it takes to burn all that comes.
local resolution = param("resolution", 56) -- cells a metre

scene { title = "Gas burners", fluid = "fire", cell = 1 / resolution, frames = 60, fps = 24 }
walls { min = {-0.75, 0, -0.5}, max = {0.75, 1.5, 0.5},
        left = "open", right = "open", back = "open", front = "open", top = "open" }
fire { fuel = { name = "propane", flame_speed = 0.4, density_products = 0.4, soot = 0.25 }, rise = 0.08, cooling = 6000, buoyancy_heat = 0.005, confinement = 3 }

for n, speed in ipairs { 0.8, 1.6, 3.2 } do
    local x = 0.45 * (n - 2)
    obstacle { shape = cylinder { from = {x, -0.1, 0}, to = {x, 0.12, 0}, radius = 0.085 }, color = {0.55, 0.5, 0.42} }
    emitter { shape = cylinder { from = {x, 0.1, 0}, to = {x, 0.16, 0}, radius = 0.07 }, fuel = 1, velocity = {0, speed, 0} }
end

camera { position = {0.35, 0.75, 2.1}, target = {0, 0.52, 0} }
light { direction = {-0.5, 1, 0.6}, color = {0.7, 0.8, 1}, intensity = 0.25 }
look { ambient_light = 0.06, background = {0.02, 0.025, 0.035}, fire_brightness = 0.3, core_brightness = 0.5, absorption = 10 }
