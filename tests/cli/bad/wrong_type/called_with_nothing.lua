-- expects: called_with_nothing.lua:3: walls is called with nothing; it must be called with one table: walls {...}
scene { cell = 0.1 }
walls()
