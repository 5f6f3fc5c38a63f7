scene { cell = 0.1 }
while true do pcall(error, string.rep("x", 100000)) end
