scene { cell = 0.1 }
local kept = {}
for n = 1, math.huge do kept[n] = string.rep("x", 1000) .. n end
