-- expects: period_between_tiles.lua:3: walls.periodic has "y", along which the box begins at cell -4 and is 16 cells long; a period begins and ends at multiples of 8 cells: make it -0.5 to 0.5 m, or scene.cell = 0.03125
scene { dimension = 2, cell = 1 / 16, frames = 3 }
walls { min = {-0.25, -0.25}, max = {0.75, 0.75}, periodic = {"y"} }
