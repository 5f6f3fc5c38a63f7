-- expects: outflow_with_temperature.lua:3: walls.right.temperature is given, but nothing comes in through an outflow
scene { cell = 0.1 }
walls { min = {0, 0, 0}, max = {1, 1, 1}, right = { kind = "outflow", temperature = 400 } }
