scene { cell = 0.05, fluid = "fire" }
fire { model = "simple", fuel = { name = "methane", ignition = 800, temperature_max = 2100, soot = 0.5 }, cooling = 2000,
       burn_rate = 5, fade = 2, expansion = 0.5, ambient = 300, confinement = 1 }
fill { shape = sphere { center = {0, 0, 0}, radius = 0.5 }, fuel = 0.5, density = 0 }
emitter { shape = sphere { center = {0, 1, 0}, radius = 0.5 }, fuel = function(t) return 0.5 end, temperature = 900 }
charge { shape = sphere { center = {0, 0, 0}, radius = 0.2 }, energy = 1e4, start = 0.1, stop = 0.2 }
look { fire_brightness = 2, white_temperature = 4000 }
