-- The collector goes over such a table once for nearly each link.
local chain = setmetatable({}, { __mode = "k" })
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
