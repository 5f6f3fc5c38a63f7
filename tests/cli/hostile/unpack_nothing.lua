while true do
    table.unpack({}, 1, 900000)
end
