-- Uses every shape and every constructor that liquids know once, with values of each kind; words_of_*.lua have the rest.
scene { title = "everything", fluid = "liquid", cell = 0.05, dimension = 3, duration = 2, fps = 30, cfl = 3,
        dt_min = 1e-5, dt_max = 0.1, steps_max = 50, gravity = keys { {0, {0, -9.81, 0}}, {1, {1, -9.81, 0}} }, seed = 7 }
walls { min = {-1, 0, -1}, max = {1, 2, 1},
        left = { kind = "inflow", velocity = function(t) return {1 + t, 0, 0} end, temperature = 300, color = {0, 0.4, 0.8} },
        right = "outflow", top = keys { {0, "wall"}, {1, "open"} },
        bottom = { kind = "wall", temperature = keys { {0, 300}, {1, 350} }, slip = 0,
                   part = cylinder { from = {0, -1, 0}, to = {0, 1, 0}, radius = 0.2 } },
        slip = 0.5, periodic = {"z"} }
fill { shape = box { min = {-1, 0, -1}, max = {1, 0.5, 1} }, velocity = {0, 0, 0}, density = 1, temperature = 300,
       color = {0, 0.5, 1} }
initial { velocity = function(x, y, z) return {y, -x, 0} end, density = function(x, y, z) return x * x end,
          temperature = function() return 300 end }
emitter { shape = disc { center = {0, 1, 0}, normal = {0, -1, 0}, radius = 0.1 }, kind = "spout", flow = 0.01,
          spread = deg(10), noise = 0.3, start = 0.5, stop = math.huge }
emitter { shape = sphere { center = {0, 0.8, 0}, radius = 0.1 }, kind = "spout", velocity = {0, -1, 0},
          offset = function(t) return {0.1 * t, 0, 0} end }
sink { shape = rectangle { center = {0, 0, 0}, normal = {0, 1, 0}, size = {0.2, 0.3} } }
pump { shape = capsule { from = {0, 0, 0}, to = {0, 1, 0}, radius = 0.1 }, velocity = {0, 1, 0} }
obstacle { shape = difference { sphere { center = {0, 0, 0}, radius = 0.3 }, torus { center = {0, 0, 0}, radius = 0.3,
           thickness = 0.1 } }, motion = { velocity = {0.1, 0, 0}, spin = function(t) return {0, t, 0} end },
           temperature = 400, slip = function(t) return t < 1 and 0 or 1 end, emit = { density_rate = 2 },
           color = {1, 0, 0}, glass = true }
body { shape = cone { from = {0, 0, 0}, to = {0, 0.2, 0}, radius = 0.1 }, mass = 2, position = {0, 1, 0},
       rotation = {0, 0, deg(20)} }
body { shape = union { scale { sphere { center = {0, 0, 0}, radius = 1 }, by = 0.1 },
       intersection { plane { point = {0, 0, 0}, normal = {0, 1, 0} }, box { min = {-1, -1, -1}, max = {0, 0, 0} } } } }
force { acceleration = {0, 0, 1} }
force { field = "vortex", center = {0, 0, 0}, strength = 2, radius = 0.3, axis = {0, 1, 0} }
force { field = "point", center = function(t) return {t, 0, 0} end, strength = -1 }
force { field = "drag", strength = 0.1, shape = translate { rotate { box { min = {0, 0, 0}, max = {1, 1, 1} },
        axis = {0, 1, 0}, angle = deg(45) }, by = {1, 0, 0} } }
liquid { method = "flip", surface_tension = 0.072, contact_angle = deg(60), viscosity = function(t) return 1e-6 end, viscosity_scheme = "coupled", elastic = { modulus = 100, yield = 0.2, flow = 2 },
         melt = { solid = 300, liquid = 320 } }
surface_control { kind = "wind", velocity = {1, 0, 0}, blend = 0.5, drag = 0.1 }
surface_control { kind = "churn", strength = 0.5, scale = 0.3, speed = 2 }
surface_pressure { pressure = function(x, y, z, t) return 10 * t * x end }
surface_pressure { pressure = keys { {0, 0}, {1, 10} }, wavelength = 2, speed = 1, direction = {1, 0, 1} }
solver { pressure = "miccg", tolerance = 1e-6, iterations_max = 500 }
camera { position = function(t) return {3 * math.cos(t), 1, 3 * math.sin(t)} end, target = {0, 0.5, 0} }
light { direction = {0, 1, 0} }
look { smoke_color = {1, 1, 1}, show_ground = false, show_walls = true, sky = "day", water = "particles", water_color = {0, 0.5, 1}, water_absorption = 2, ripples = 0.1, ripple_length = 0.2 }
output { movie = false, images = true, width = 641, up = "z", age = true, source = true }
obstacle { shape = mesh { file = "files/thing.obj", scale = 0.01, thickness = 0.001 } }
obstacle { shape = heightmap { file = "files/thing.pgm", scale = 0.01, height = 0.1, detail = 0.01 } }
obstacle { shape = voxels { file = "files/thing.nrrd", scale = 0.01, threshold = 3 } }
obstacle { shape = points { file = "files/thing.xyz", scale = 0.01, radius = 0.02 } }
obstacle { shape = wrapped { file = "files/ball.xyz", scale = 0.01, radius = 0.005 } }
