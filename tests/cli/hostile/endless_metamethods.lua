scene { cell = 0.1 }
local t = setmetatable({}, { __index = function(self, key) return self[key + 1] end })
local value = t[1]
