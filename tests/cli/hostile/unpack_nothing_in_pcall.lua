while true do
    pcall(table.unpack, {}, 1, 60000)
end
