scene { cell = 0.1 }
dofile("/etc/passwd")
