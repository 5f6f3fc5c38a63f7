scene { cell = 0.05, fluid = "fire" }
fire { fuel = { name = "propane", flame_speed = 0.5, density = 1.2, density_products = 0.3, blue = 0.4 }, rise = 0.04, quench = 0.02, cooling = 2000 }
emitter { shape = sphere { center = {0, 1, 0}, radius = 0.5 }, fuel = function(t) return 1 end, velocity = {0, 1, 0} }
look { core_brightness = 0.5 }
obstacle { shape = sphere { center = {2, 1, 0}, radius = 0.3 },
           fuel = { rate = function(x, y, z, t) return 0.001 end, density = 600, thickness = 0.05, ignition = 550, heating = 3, spread = 0.1,
                    lit = sphere { center = {2, 1.3, 0}, radius = 0.1 } } }
