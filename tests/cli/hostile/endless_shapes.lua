scene { cell = 0.1 }
while true do sphere { center = {0, 0, 0}, radius = 1 } end
