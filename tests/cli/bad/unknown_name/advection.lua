-- expects: advection.lua:3: smoke.advection is "upwind"; known: semi_lagrangian, cubic, maccormack, reflection
scene { cell = 0.1 }
smoke { advection = "upwind" }
