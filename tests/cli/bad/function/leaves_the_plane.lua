-- expects: leaves_the_plane.lua:2: scene.gravity has z = 5; the scene has dimension 2, so z must be 0
scene { cell = 0.1, dimension = 2, gravity = function(t) return {0, -9.81, t} end }
