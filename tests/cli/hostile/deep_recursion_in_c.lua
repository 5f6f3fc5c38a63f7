scene { cell = 0.1 }
local function deeper() return (pcall(deeper)) and deeper() end
local t = setmetatable({}, {})
getmetatable(t).__index = function(self, key) return tostring(self[key]) end
local value = t.x
