-- expects: unfinished_text.lua:2: unfinished string near '"plume, cell = 0.1 }'
scene { title = "plume, cell = 0.1 }
