scene { cell = 0.1 }
string.dump(function() end)
