-- expects: param_with_two_defaults.lua:2: param "size" has the default 2 here and 0.1 before; they must be the same
scene { cell = param("size", 0.1), cfl = param("size", 2) }
