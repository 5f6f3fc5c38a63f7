-- Two-component vectors and turns given as numbers.
scene { fluid = "stable", cell = 0.01, dimension = 2, frames = 10, gravity = {0, -9.81} }
walls { min = {0, 0}, max = {1, 1}, left = "open", periodic = {"y"} }
fill { shape = box { min = {0.2, 0.2}, max = {0.4, 0.4} }, velocity = {1, 0} }
obstacle { shape = rotate { box { min = {-0.1, -0.1}, max = {0.1, 0.1} }, angle = deg(45) },
           motion = { position = function(t) return {0.5, 0.5} end, spin = function(t) return t end } }
emitter { shape = sphere { center = {0.5, 0.1}, radius = 0.05 }, density = keys { {0, 1}, {1, 0} },
          velocity = keys { {0, {0, 1}}, {1, {0, 2}} } }
