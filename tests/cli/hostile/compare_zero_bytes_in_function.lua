local text = ("\0"):rep(60000)
local other = text .. "a"
scene { cell = 0.1 }
emitter { shape = sphere { center = {0, 0, 0}, radius = 1 }, density = function(t)
    local count = 0
    while count < 100000 do
        if text < other then count = count + 1 end
    end
    return 1
end }
