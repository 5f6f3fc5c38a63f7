-- expects: flat_vector_in_space.lua:3: sphere.center is {0, 1}; in a scene of dimension 3 it must be a vector {x, y, z}
scene { cell = 0.1 }
emitter { shape = sphere { center = {0, 1}, radius = 1 }, density = 1 }
