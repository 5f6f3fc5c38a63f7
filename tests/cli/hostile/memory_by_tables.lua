scene { cell = 0.1 }
local kept = {}
while true do kept = { kept, {}, {}, {} } end
