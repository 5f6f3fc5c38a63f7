local pattern = ("x?"):rep(30000)
while true do
    ("x"):rep(40000):find(pattern)
end
