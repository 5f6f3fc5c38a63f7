local text = ("\0"):rep(1000000)
local other = text .. "a"
while true do
    local before = text < other
end
