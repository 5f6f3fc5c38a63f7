local list = {}
for n = 1, 60000 do list[n] = n end
local function call(...)
    while true do
        select(2, ...)
    end
end
call(table.unpack(list))
