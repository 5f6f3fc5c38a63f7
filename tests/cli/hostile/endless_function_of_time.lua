scene { cell = 0.1 }
emitter { shape = sphere { center = {0, 0, 0}, radius = 1 },
          density = function(t)
              while t > 1 do end
              return 1
          end }
