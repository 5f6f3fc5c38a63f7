-- expects: of_place_and_time_is_not_pure.lua:4: surface_pressure.pressure is a function that is not pure: at (-0.5, -1, -1), t = 0.0208333 it gave 7, asked again 8; it must depend on its arguments alone
scene { fluid = "liquid", cell = 0.1, frames = 3 }
local calls = 0
surface_pressure { pressure = function(x, y, z, t) calls = calls + 1; return calls end }
