scene { cell = 0.1 }
string.rep("x", 1e10)
