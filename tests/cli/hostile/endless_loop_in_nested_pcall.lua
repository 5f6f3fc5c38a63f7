scene { cell = 0.1 }
local function again() while true do pcall(again) end end
again()
