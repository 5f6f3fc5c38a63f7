scene { cell = 0.1 }
load("os.execute('touch escaped')", "x", "t", _G)()
