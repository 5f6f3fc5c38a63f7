scene { cell = 0.1 }
local shape = sphere { center = {0, 0, 0}, radius = 1 }
for n = 1, 1e9 do shape = translate { shape, by = {1, 0, 0} } end
