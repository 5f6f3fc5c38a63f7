local text = ("x"):rep(60000)
while true do
    text:byte(1, 900000)
end
