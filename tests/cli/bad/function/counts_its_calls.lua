-- expects: counts_its_calls.lua:4: emitter.density is a function that is not pure: at t = 1.89583 it gave 241, asked again 242; it must depend on its arguments alone
scene { cell = 0.1 }
local calls = 0
emitter { shape = sphere { center = {0, 0, 0}, radius = 1 }, density = function(t) calls = calls + 1; return calls end }
