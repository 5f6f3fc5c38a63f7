scene { cell = 0.1 }
io.open("escaped", "w"):write("x")
