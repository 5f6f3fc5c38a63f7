-- expects: buoyancy_is_nan.lua:3: smoke.buoyancy_heat is nan; it must be a number (m/(s^2 K))
scene { cell = 0.1 }
smoke { buoyancy_heat = 0 / 0 }
