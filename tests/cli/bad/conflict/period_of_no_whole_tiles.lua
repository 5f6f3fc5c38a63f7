-- expects: period_of_no_whole_tiles.lua:3: walls.periodic has "x", along which the box begins at cell 0 and is 12 cells long; a period begins and ends at multiples of 8 cells: make it 0 to 1.3333334 m, or scene.cell = 0.0625
scene { dimension = 2, cell = 1 / 12, frames = 3 }
walls { min = {0, 0}, max = {1, 1}, periodic = {"x"} }
