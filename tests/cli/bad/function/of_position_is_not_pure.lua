-- expects: of_position_is_not_pure.lua:4: initial.density is a function that is not pure: at (0, 1, -0.5) it gave 125, asked again 126; it must depend on its arguments alone
scene { cell = 0.1 }
local calls = 0
initial { density = function(x, y, z) calls = calls + 1; return calls end }
