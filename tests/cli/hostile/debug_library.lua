scene { cell = 0.1 }
debug.sethook()
while true do end
