-- expects: too_large_for_a_float.lua:3: smoke.ambient is 1e+300, too large a number (3.4e+38 is the largest); it must be a number above 0 (K)
scene { cell = 0.1 }
smoke { ambient = 1e300 }
