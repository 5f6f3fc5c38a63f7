-- expects: missing_comma.lua:2: '}' expected near 'frames'
scene { cell = 0.1 frames = 10 }
