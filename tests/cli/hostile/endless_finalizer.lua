scene { cell = 0.1 }
setmetatable({}, { __gc = function() while true do end end })
