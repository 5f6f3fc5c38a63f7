-- expects: without_a_name.lua:2: scene has a value without a name; write name = value
scene { 0.1 }
