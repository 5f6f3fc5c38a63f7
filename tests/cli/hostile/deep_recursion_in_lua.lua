scene { cell = 0.1 }
local function deeper(n) return 1 + deeper(n + 1) end
deeper(1)
