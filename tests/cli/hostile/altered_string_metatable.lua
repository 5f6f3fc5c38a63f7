scene { cell = 0.1 }
getmetatable("").__index = function() while true do end end
