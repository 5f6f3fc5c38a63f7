-- expects: variable.lua:2: "cellsize" is not defined
scene { cell = cellsize }
