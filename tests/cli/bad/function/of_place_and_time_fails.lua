-- expects: of_place_and_time_fails.lua:3: surface_pressure.pressure at (-1, 0.5, 1), t = 5 failed: of_place_and_time_fails.lua:3: attempt to concatenate a table value
scene { fluid = "liquid", cell = 0.1 }
surface_pressure { pressure = function(x, y, z, t) return x .. {} end }
