-- expects: flow_leaves_the_plane.lua:3: flow.velocity has z = 1; the scene has dimension 2, so z must be 0
scene { cell = 0.1, frames = 5, dimension = 2 }
flow { velocity = function(x, y, z, t) return {0, 0, 1} end }
