-- expects: flow_returns_a_number.lua:3: flow.velocity at (-1, 0, -1), t = 0.208333 is 1; it must be a vector {x, y, z} (m/s)
scene { cell = 0.1, frames = 5 }
flow { velocity = function(x, y, z, t) return 1 end }
