scene { cell = 0.1 }
local text = string.rep("x", 1000)
while true do text:upper() end
