scene { cell = 0.1 }
local ball = sphere { center = {0, 0, 0}, radius = 1 }
while true do emitter { shape = ball, density = 1 } end
