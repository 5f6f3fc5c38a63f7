scene { cell = 0.1 }
setmetatable(_G, nil)
