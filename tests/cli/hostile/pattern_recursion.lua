scene { cell = 0.1 }
local function deeper(text) return (text:gsub("a", deeper)) end
deeper("a")
