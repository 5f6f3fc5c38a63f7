-- expects: dt_min_above_dt_max.lua:2: scene.dt_min is 1 s, scene.dt_max is 0.5 s; dt_min must not be above dt_max
scene { cell = 0.1, dt_min = 1, dt_max = 0.5 }
