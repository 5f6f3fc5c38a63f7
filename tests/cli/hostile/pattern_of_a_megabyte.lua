while true do
    ("x"):rep(300000):find(("x?"):rep(300000))
end
