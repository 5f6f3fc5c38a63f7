local text = ("7"):rep(60000)
while true do
    local number = text + 1
end
