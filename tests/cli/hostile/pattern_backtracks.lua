scene { cell = 0.1 }
local text = string.rep("a", 40)
text:match(string.rep("a*", 30) .. "b")
