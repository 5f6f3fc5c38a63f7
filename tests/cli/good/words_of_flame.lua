scene { cell = 0.05, fluid = "fire" }
fire { fuel = { name = "propane", flame_speed = 0.5, density = 1.2, density_products = 0.3 }, rise = 0.04, cooling = 2000 }
emitter { shape = sphere { center = {0, 1, 0}, radius = 0.5 }, fuel = function(t) return 1 end, velocity = {0, 1, 0} }
look { core_brightness = 0.5 }
