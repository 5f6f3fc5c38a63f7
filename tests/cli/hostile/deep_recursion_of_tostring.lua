scene { cell = 0.1 }
local t = setmetatable({}, { __tostring = function(self) return tostring(self) end })
tostring(t)
