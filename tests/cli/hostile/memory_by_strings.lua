scene { cell = 0.1 }
local text = "x"
while true do text = text .. text end
