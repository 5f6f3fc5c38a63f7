scene { cell = 0.1 }
local t = {}
for n = 1, 200000 do t[n] = n end
local all = {}
while true do all[#all + 1] = { table.unpack(t) } end
