scene { cell = 0.1 }
while true do collectgarbage() end
