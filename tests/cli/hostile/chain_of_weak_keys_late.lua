local kind = {}
local chain = setmetatable({}, kind)
kind["__mo" .. "de"] = "k"
local first = {}
local last = first
for n = 1, 200000 do
    local link = {}
    chain[last] = link
    last = link
end
while true do
    local waste = {}
end
