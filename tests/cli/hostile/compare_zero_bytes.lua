-- Texts of zero bytes are compared piece by piece.
local text = ("\0"):rep(60000)
local other = text .. "a"
while true do
    local before = text < other
end
