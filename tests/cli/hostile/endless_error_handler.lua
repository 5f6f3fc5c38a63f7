scene { cell = 0.1 }
local function spin() while true do end end
xpcall(spin, function() while true do end end)
