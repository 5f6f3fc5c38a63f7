scene { cell = 0.1 }
for n = 1, math.huge do param("p" .. n, n) end
