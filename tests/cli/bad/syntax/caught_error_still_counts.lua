-- expects: caught_error_still_counts.lua:2: scene.cell is -1; it must be a number above 0 (m)
pcall(scene, { cell = -1 })
scene { cell = 0.1 }
