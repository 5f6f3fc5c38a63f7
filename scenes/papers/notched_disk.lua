-- A notched disk turns once about the middle of its box, rigidly (Zalesak 1979; figures 4 and 5 of Fedkiw 2003): 100 x 100 cells, radius 15,
-- a notch 5 wide and 25 deep. It should come back as it was. method = "particle_levelset" with correction_side = "both" keeps its corners,
-- "inside" rounds those of the notch, "levelset" all of them.
local turn = 628 -- s

scene { title = "Notched disk", fluid = "liquid", dimension = 2, cell = 100 / param("resolution", 100), duration = turn, fps = 64 / turn, cfl = 0.5 }

walls { min = {0, 0}, max = {100, 100} }

liquid { method = param("method", "particle_levelset"), correction_side = param("correction_side", "both"), volume_correction = 0 }

fill { shape = difference { sphere { center = {50, 75}, radius = 15 }, box { min = {47.5, 40}, max = {52.5, 85} } } }

flow { velocity = function(x, y) return { 2 * math.pi / turn * (50 - y), 2 * math.pi / turn * (x - 50) } end }

output { movie = true, width = 480, height = 480 }
