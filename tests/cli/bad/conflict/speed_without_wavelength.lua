-- expects: speed_without_wavelength.lua:3: surface_pressure.speed is 2 m/s, and no wavelength is given; what is even cannot travel
scene { fluid = "liquid", cell = 0.1 }
surface_pressure { pressure = 10, speed = 2 }
