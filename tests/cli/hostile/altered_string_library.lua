scene { cell = 0.1 }
string.rep = function() while true do end end
local text = ("x"):rep(3)
