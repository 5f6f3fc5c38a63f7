-- expects: too_large_for_a_float.lua:3: smoke.ambient is 1e+300; it must be a number above 0 (K)
scene { cell = 0.1 }
smoke { ambient = 1e300 }
