-- Each call copies all of them.
local function pass(...) end
local list = {}
for n = 1, 60000 do list[n] = n end
local function call(...)
    while true do
        pass(...)
    end
end
call(table.unpack(list))
