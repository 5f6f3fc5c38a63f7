scene { cell = 0.1 }
load(string.dump(function() end), "x", "b")()
