-- expects: title_is_a_number.lua:2: scene.title is 7; it must be text
scene { cell = 0.1, title = 7 }
