scene { cell = 0.1 }
coroutine.wrap(function() while true do end end)()
