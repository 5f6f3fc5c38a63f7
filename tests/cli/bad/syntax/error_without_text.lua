-- expects: error_without_text.lua:3: an error that is not text
scene { cell = 0.1 }
error({})
