-- expects: parts.lua:3: union.parts is missing; it must be shapes, such as sphere {...}
scene { cell = 0.1 }
fill { shape = union { } }
