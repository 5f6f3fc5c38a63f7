scene { cell = 0.1 }
local t = setmetatable({}, { __len = function() return 1 << 60 end, __index = function() return "" end })
table.concat(t, "", 1, 1 << 60)
