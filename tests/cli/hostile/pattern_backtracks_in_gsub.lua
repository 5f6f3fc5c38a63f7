scene { cell = 0.1 }
local text = string.rep("a", 5000)
text:gsub(".-.-.-.-b$", "")
