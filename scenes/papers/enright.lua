-- Enright's deformation (Enright, Fedkiw, Ferziger and Mitchell 2002; LeVeque 1996): a flow draws a ball out into a film thinner than a cell,
-- turns round and should bring it back. method = "levelset" loses most of it where the film is thinnest.
local period = 3 -- s
local pi, sin, cos = math.pi, math.sin, math.cos

scene { title = "Enright's deformation", fluid = "liquid", cell = 1 / param("resolution", 64), duration = period, fps = 24, cfl = 0.5 }

walls { min = {0, 0, 0}, max = {1, 1, 1} }

liquid { method = param("method", "particle_levelset"), volume_correction = 0 }

fill { shape = sphere { center = {0.35, 0.35, 0.35}, radius = 0.15 } }

flow {
    velocity = function(x, y, z, t)
        local a, b, c = sin(pi * x), sin(pi * y), sin(pi * z)
        local aa, bb, cc, swing = sin(2 * pi * x), sin(2 * pi * y), sin(2 * pi * z), cos(pi * t / period)
        return { 2 * a * a * bb * cc * swing, -aa * b * b * cc * swing, -aa * bb * c * c * swing }
    end
}

camera { position = {1.5, 1.35, 2.0}, target = {0.5, 0.48, 0.5}, field_of_view = deg(34) }
light { direction = {-0.5, 1, 0.6} }
light { direction = {0.8, 0.4, -0.3}, color = {0.6, 0.75, 1}, intensity = 0.4 }
look { show_ground = false, water_absorption = 3 }

output { movie = true }
