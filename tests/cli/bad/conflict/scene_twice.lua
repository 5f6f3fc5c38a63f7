-- expects: scene_twice.lua:3: scene is given twice, first at line 2; leave one out
scene { cell = 0.1 }
scene { cell = 0.2 }
