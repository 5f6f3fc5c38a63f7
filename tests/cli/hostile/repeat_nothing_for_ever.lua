scene { cell = 0.1 }
local text = string.rep("", 1 << 62)
while text == "" do text = string.rep("", 1 << 62) end
