-- expects: wavelength_of_a_function.lua:3: surface_pressure.wavelength is given with a function for the pressure; the function says where it is high
scene { fluid = "liquid", cell = 0.1 }
surface_pressure { pressure = function(x, y, z, t) return x end, wavelength = 2 }
