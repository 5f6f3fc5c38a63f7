scene { cell = 0.1 }
local function spin() while true do end end
local guard <close> = setmetatable({}, { __close = spin })
spin()
