-- expects: returns_an_unknown_kind.lua:3: walls.top.kind at t = 5 is "door"; it must be one of wall, open, inflow, outflow
scene { cell = 0.1 }
walls { min = {0, 0, 0}, max = {1, 1, 1}, top = function(t) return "door" end }
