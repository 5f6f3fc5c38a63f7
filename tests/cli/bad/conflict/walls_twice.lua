-- expects: walls_twice.lua:4: walls is given twice, first at line 3; leave one out
scene { cell = 0.1 }
walls { min = {0, 0, 0}, max = {1, 1, 1} }
walls { min = {0, 0, 0}, max = {1, 1, 1} }
