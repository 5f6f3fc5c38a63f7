-- expects: scene.lua:2: scene has no field "frame"; did you mean "frames"? known: title, fluid, cell, dimension, frames, duration, fps, cfl, dt_min, dt_max, steps, steps_max, gravity, seed
scene { cell = 0.1, frame = 10 }
