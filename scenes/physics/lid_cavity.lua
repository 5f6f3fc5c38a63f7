-- The lid-driven cavity: a square box of gas that sticks to its walls, under a lid that slides. One large vortex, and small ones in
-- the corners below, whose centres and speeds are tabulated (Ghia, Ghia and Shin 1982).
local resolution = param("resolution", 128) -- cells a side
local reynolds = param("reynolds", 1000)    -- U L / nu

scene {
    title = "Lid-driven cavity", fluid = "smoke", dimension = 2, cell = 1 / resolution, frames = 480, fps = 12, cfl = 2,
    steps_max = 1000,
}

walls { min = {0, 0}, max = {1, 1}, slip = 0, top = { velocity = {1, 0} } }

smoke { viscosity = 1 / reynolds, subgrid = 0, buoyancy_weight = 0, dissipation = 0.05 }

-- Threads of dye from points on the middle line, and one in each corner below.
local function dye(x, y, color)
    emitter { shape = sphere { center = {x, y}, radius = 0.012 }, density = 1, color = color }
end
for n = 1, 5 do
    dye(0.5, 0.08 * n + 0.02, {1 - 0.17 * n, 0.35 + 0.08 * n, 0.12 * n + 0.3})
end
dye(0.9, 0.06, {1, 0.75, 0.2})
dye(0.06, 0.06, {1, 0.75, 0.2})

output { width = 720, height = 720, movie = true }
