scene { cell = 0.1 }
local t = {}
for n = 1, 1000000 do t[n] = -n end
while true do table.sort(t) end
