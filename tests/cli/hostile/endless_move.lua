scene { cell = 0.1 }
table.move({}, 1, math.maxinteger - 1, 2)
