-- expects: called_with_text.lua:2: scene is called with "plume"; it must be called with one table: scene {...}
scene "plume"
