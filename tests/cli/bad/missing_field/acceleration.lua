-- expects: acceleration.lua:3: force.acceleration is missing; this field needs it
scene { cell = 0.1 }
force { }
