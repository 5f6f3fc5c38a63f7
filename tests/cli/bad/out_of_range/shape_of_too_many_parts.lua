-- expects: shape_of_too_many_parts.lua:4: union has a shape of more than 10000 parts
scene { cell = 0.1 }
local s = sphere { center = {0, 0, 0}, radius = 1 }
for n = 1, 60 do s = union { s, s } end
fill { shape = s }
