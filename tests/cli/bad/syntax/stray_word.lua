-- expects: stray_word.lua:3: syntax error near 'shape'
scene { cell = 0.1 }
emitter shape
