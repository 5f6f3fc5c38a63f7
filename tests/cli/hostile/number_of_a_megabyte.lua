local text = ("7"):rep(1000000)
while true do
    local number = tonumber(text)
end
