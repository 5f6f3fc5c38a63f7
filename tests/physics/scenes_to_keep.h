// One small scene for each solver and each kind of state it keeps: what tests of checkpoints run through. A
// new solver is covered by adding a line.
#pragma once

#include "run.h"

typedef struct KeptScene {
    const char *name;
    const char *text; // a scene script
} KeptScene;

static const KeptScene kept_scenes[] = {
    {"open_smoke",
     "scene { cell = 1 / 16, fps = 24, frames = 8, steps = 2 }\n"
     "smoke { wind = function(t) return {1.5 + t, 0, 0.3} end }\n"
     "emitter { shape = sphere { center = {0, 0, 0}, radius = 0.3 }, density = 1, temperature = 400,\n"
     "    velocity = {0.5, 2, 0}, noise = { amplitude = 0.8, size = 0.1, speed = 3 }, stop = 0.1 }\n"
     "emitter { shape = sphere { center = {0.9, 0.3, 0.5}, radius = 0.3 }, density_rate = 9 }\n"
     "obstacle { shape = sphere { center = {0, 0, 0}, radius = 0.2 },\n"
     "    motion = { velocity = {1, 1, 0}, spin = {0, 1, 0} } }"},
    // Sides that are no whole tiles, a far wall that a solid slides along, scratch shared with confinement.
    {"smoke_in_a_box",
     "scene { cell = 1 / 12, fps = 24, frames = 8 }\n"
     "walls { min = {0, 0, 0}, max = {0.9, 1.1, 1}, top = 'open' }\n"
     "smoke { confinement = 0.5, cooling = 0.2, dissipation = 0.1 }\n"
     "emitter { shape = sphere { center = {0.5, 0.2, 0.5}, radius = 0.2 }, density = 1, temperature = 500 }\n"
     "obstacle { shape = sphere { center = {0, 0, 0}, radius = 0.25 },\n"
     "    motion = { position = function(t) return {0.9 - 2 * t * t, 0.5 + t, 0.5 + 0.5 * t} end } }\n"
     "sink { shape = box { min = {0, 0.9, 0}, max = {0.3, 1.1, 0.3} } }\n"
     "pump { shape = sphere { center = {0.2, 0.5, 0.5}, radius = 0.1 }, velocity = {0, 2, 0} }"},
    // Four colours, so three numbers tell a mixture; all that brings smoke and takes it away.
    {"colored_smoke",
     "scene { cell = 1 / 12, fps = 24, frames = 8, steps = 2 }\n"
     "walls { min = {0, 0, 0}, max = {0.9, 1.1, 1}, top = 'open' }\n"
     "smoke { dissipation = 0.1 }\n"
     "fill { shape = box { min = {0, 0.4, 0}, max = {1, 0.8, 1} }, density = 0.5 }\n"
     "emitter { shape = sphere { center = {0.3, 0.2, 0.5}, radius = 0.2 }, density = 1, temperature = 500,\n"
     "    color = {1, 0.1, 0} }\n"
     "emitter { shape = sphere { center = {0.7, 0.2, 0.5}, radius = 0.2 }, density_rate = 3,\n"
     "    velocity = {0, 2, 0}, color = {0, 0.2, 1} }\n"
     "obstacle { shape = sphere { center = {0.5, 0.6, 0.5}, radius = 0.15 },\n"
     "    motion = { velocity = {0.5, 0, 0} }, emit = { density = 1, color = {0, 0.8, 0.3} } }\n"
     "sink { shape = box { min = {0, 0.9, 0}, max = {0.3, 1.1, 0.3} } }"},
    {"flat_smoke", "scene { dimension = 2, cell = 1 / 16, fps = 24, frames = 8 }\n"
                   "walls { min = {0, 0}, max = {1, 1}, periodic = {'x'} }\n"
                   "smoke { advection = 'semi_lagrangian' }\n"
                   "solver { pressure = 'cg' }\n"
                   "force { field = 'vortex', center = {0.5, 0.5}, strength = 5 }\n"
                   "fill { shape = sphere { center = {0.5, 0.3}, radius = 0.2 }, temperature = 350 }"},
    {"reflected_smoke",
     "scene { cell = 1 / 12, fps = 24, frames = 8 }\n"
     "walls { min = {0, 0, 0}, max = {1, 1, 0.9}, top = 'open' }\n"
     "smoke { advection = 'reflection', confinement = 0.2 }\n"
     "output { pressure = true }\n"
     "emitter { shape = sphere { center = {0.5, 0.2, 0.5}, radius = 0.2 }, density = 1, temperature = 500 }\n"
     "obstacle { shape = sphere { center = {0, 0, 0}, radius = 0.2 },\n"
     "    motion = { position = function(t) return {0.5, 0.6 + t, 0.5} end } }"},
    {"cubic_smoke", "scene { cell = 1 / 14, fps = 24, frames = 8 }\n"
                    "smoke { advection = 'cubic' }\n"
                    "emitter { shape = sphere { center = {0.5, 0.2, 0.5}, radius = 0.2 }, density = 1,\n"
                    "    temperature = 500, velocity = {1, 3, 0} }"},
    // Sides whose kind, speed and heat change from step to step, a vent, and backflow that is shut.
    {"smoke_in_a_tunnel",
     "scene { dimension = 2, cell = 1 / 18, fps = 24, frames = 8, steps = 2 }\n"
     "walls { min = {0, 0}, max = {2, 1}, right = 'outflow',\n"
     "    left = { kind = function(t) return t < 0.1 and 'wall' or 'inflow' end,\n"
     "        velocity = function(t) return {1 + 4 * t, 0.2} end, temperature = 350 },\n"
     "    top = { kind = 'open', part = box { min = {1, 0.9, -1}, max = {1.4, 1.1, 1} } } }\n"
     "fill { shape = sphere { center = {0.5, 0.3, 0}, radius = 0.2 }, temperature = 350 }\n"
     "force { field = 'vortex', center = {1.8, 0.5}, strength = 20, radius = 0.2 }"},
    // Viscous gas that sticks to walls keeps the push of its pressure.
    {"sticky_smoke",
     "scene { cell = 1 / 12, fps = 24, frames = 8, steps = 2 }\n"
     "walls { min = {0, 0, 0}, max = {0.9, 1.1, 1}, slip = 0.2, top = { velocity = {1, 0, 0} },\n"
     "    bottom = { temperature = function(t) return 400 + 500 * t end } }\n"
     "smoke { viscosity = 0.02, conductivity = 0.01 }\n"
     "obstacle { shape = sphere { center = {0.5, 0.5, 0.5}, radius = 0.2 }, slip = 0,\n"
     "    temperature = 500, motion = { spin = {0, 0, 3} } }"},
    // Fuel, glowing soot, and gas that expands, past a solid that moves.
    {"simple_fire",
     "scene { fluid = 'fire', cell = 1 / 12, fps = 24, frames = 8, steps = 2 }\n"
     "walls { min = {0, 0, 0}, max = {0.9, 1.1, 1}, top = 'open' }\n"
     "fire { model = 'simple', fuel = 'wood_gas', confinement = 1, dissipation = 0.1 }\n"
     "fill { shape = sphere { center = {0.5, 0.7, 0.5}, radius = 0.2 }, fuel = 0.5, density = 0 }\n"
     "emitter { shape = sphere { center = {0.5, 0.2, 0.5}, radius = 0.2 }, fuel = 1, temperature = 800 }\n"
     "obstacle { shape = sphere { center = {0, 0, 0}, radius = 0.2 },\n"
     "    motion = { position = function(t) return {0.5 - t, 0.6 + t, 0.5} end } }"},
    // A thin flame: its front and what sources emit, gas of two velocities, past a solid that moves.
    {"thin_flame",
     "scene { fluid = 'fire', cell = 1 / 12, fps = 24, frames = 8, steps = 3 }\n"
     "walls { min = {0, 0, 0}, max = {0.9, 1.1, 1}, top = 'open' }\n"
     "fire { fuel = { name = 'wood_gas', density_products = 0.4 }, confinement = 1, quench = 0.02 }\n"
     "fill { shape = sphere { center = {0.5, 0.6, 0.5}, radius = 0.2 }, fuel = 1, density = 0 }\n"
     "emitter { shape = sphere { center = {0.5, 0.2, 0.5}, radius = 0.2 }, fuel = 1, velocity = {0, 1, 0} }\n"
     "obstacle { shape = sphere { center = {0, 0, 0}, radius = 0.2 },\n"
     "    motion = { position = function(t) return {0.5 - t, 0.6 + t, 0.5} end } }"},
    // Solids that burn: one that moves and is alight, one that catches fire, by both models.
    {"solid_fuel",
     "scene { fluid = 'fire', cell = 1 / 12, fps = 24, frames = 8, steps = 3 }\n"
     "walls { min = {0, 0, 0}, max = {0.9, 1.1, 1}, top = 'open' }\n"
     "fire { fuel = { name = 'wood_gas', density_products = 0.4 }, quench = 0.05 }\n"
     "obstacle { shape = sphere { center = {0, 0, 0}, radius = 0.2 },\n"
     "    fuel = { thickness = 0.0004, lit = box { min = {-1, -1, -1}, max = {0, 1, 1} } },\n"
     "    motion = { position = function(t) return {0.3 + t, 0.4, 0.5} end } }\n"
     "obstacle { shape = sphere { center = {0.5, 0.8, 0.5}, radius = 0.1 },\n"
     "    fuel = { rate = function(x, y, z, t) return 0.0005 + 0.001 * x end, ignition = 350 } }"},
    {"simple_solid_fuel",
     "scene { fluid = 'fire', cell = 1 / 12, fps = 24, frames = 8, steps = 2 }\n"
     "walls { min = {0, 0, 0}, max = {0.9, 1.1, 1}, top = 'open' }\n"
     "fire { model = 'simple', fuel = 'wood_gas' }\n"
     "obstacle { shape = sphere { center = {0.4, 0.4, 0.5}, radius = 0.2 },\n"
     "    fuel = { spread = 0.5, lit = box { min = {-1, -1, -1}, max = {0.4, 1, 1} } } }"},
    {"charge",
     "scene { cell = 1 / 12, fps = 24, frames = 8, steps = 3 }\n"
     "emitter { shape = sphere { center = {0, 0, 0}, radius = 0.3 }, density = 1, temperature = 900 }\n"
     "charge { shape = sphere { center = {0, 0.2, 0}, radius = 0.2 }, energy = 1e4, start = 0.1, stop = 0.2 "
     "}"},
    // Particles that carry gradients, a side that they leave by, a solid that turns.
    {"liquid", "scene { fluid = 'liquid', cell = 1 / 12, fps = 24, frames = 8, steps = 2 }\n"
               "walls { min = {0, 0, 0}, max = {1.1, 0.9, 1}, right = 'open' }\n"
               "liquid { narrow_band = 0 }\n"
               "output { pressure = true }\n"
               "fill { shape = box { min = {0, 0, 0}, max = {0.4, 0.6, 1} } }\n"
               "fill { shape = sphere { center = {0.9, 0.5, 0.5}, radius = 0.2 }, velocity = {3, 0, 0} }\n"
               "obstacle { shape = box { min = {-0.2, -0.1, -0.2}, max = {0.2, 0.1, 0.2} },\n"
               "    motion = { position = {0.6, 0.2, 0.5}, spin = {1, 2, 3} } }"},
    {"flat_splash", "scene { fluid = 'liquid', dimension = 2, cell = 1 / 16, fps = 24, frames = 8 }\n"
                    "liquid { method = 'flip', narrow_band = 0, seeding = 'lattice' }\n"
                    "fill { shape = sphere { center = {0, 0.3}, radius = 0.3 }, velocity = {1, -2} }\n"
                    "obstacle { shape = box { min = {-1, -0.3, -1}, max = {1, -0.1, 1} } }"},
    // A core that the grid carries below a band of particles, cells of which come and go.
    {"pool", "scene { fluid = 'liquid', dimension = 2, cell = 1 / 28, fps = 24, frames = 8, steps = 6 }\n"
             "walls { min = {0, 0}, max = {1, 1} }\n"
             "liquid { narrow_band = 0.1 }\n"
             "fill { shape = box { min = {0, 0}, max = {0.7, 0.8} } }"},
    {"markers", "scene { fluid = 'liquid', dimension = 2, cell = 1 / 16, fps = 24, frames = 8 }\n"
                "walls { min = {0, 0}, max = {1, 1} }\n"
                "liquid { method = 'markers', narrow_band = 0 }\n"
                "fill { shape = sphere { center = {0.5, 0.4, 0}, radius = 0.3 } }"},
    // By the explicit scheme: a pressure that is kept, whole cells that stick, streams, steps cut in parts.
    {"explicit", "scene { fluid = 'liquid', dimension = 2, cell = 1 / 16, fps = 24, frames = 8, steps = 2 }\n"
                 "walls { min = {0, 0}, max = {1, 1}, right = 'outflow' }\n"
                 "liquid { method = 'markers', scheme = 'explicit', viscosity = 1e-3 }\n"
                 "solver { pressure = 'relaxation', divergence_max = 1e-2 }\n"
                 "output { pressure = true }\n"
                 "fill { shape = box { min = {0, 0}, max = {0.8, 0.3} } }\n"
                 "emitter { shape = disc { center = {0.3, 0.9, 0}, normal = {0, -1, 0}, radius = 0.1 },\n"
                 "    velocity = {1, -2}, stop = 0.3 }\n"
                 "obstacle { shape = sphere { center = {0.5, 0.2, 0}, radius = 0.15 }, slip = 0 }"},
    // Below a height field: waves over ground, all that comes and goes, spray and foam; by the explicit
    // scheme, and by a projection past a solid that moves.
    {"height", "scene { fluid = 'liquid', cell = 1 / 10, fps = 24, frames = 8, steps = 2 }\n"
               "walls { min = {0, 0, 0}, max = {1.6, 1, 1.2}, right = 'outflow',\n"
               "    left = { kind = 'inflow', velocity = {0.5, 0, 0}, part = box { min = {-1, 0, 0.3}, max = "
               "{1, 0.3, 0.9} } } }\n"
               "liquid { method = 'height', scheme = 'explicit', spray = { speed = 0.1, rate = 9000, breakup "
               "= 9 }, foam = 2 }\n"
               "output { pressure = true }\n"
               "fill { shape = box { min = {0, 0, 0}, max = {2, 0.45, 2} } }\n"
               "fill { shape = box { min = {0.5, 0, 0}, max = {0.9, 0.8, 0.5} }, velocity = {1, 0, 0.5} }\n"
               "surface_pressure { pressure = 900, wavelength = 0.7, speed = 1 }\n"
               "emitter { shape = disc { center = {1.1, 0.9, 0.5}, normal = {0, -1, 0}, radius = 0.1 }, "
               "velocity = {0, -2, 0} }\n"
               "sink { shape = sphere { center = {0.5, 0.2, 0.8}, radius = 0.2 }, flow = 0.02 }\n"
               "obstacle { shape = sphere { center = {1.1, 0.2, 0.8}, radius = 0.3 }, slip = 0 }"},
    {"height_split",
     "scene { fluid = 'liquid', dimension = 2, cell = 1 / 16, fps = 24, frames = 8 }\n"
     "walls { min = {0, 0}, max = {2, 1} }\n"
     "liquid { method = 'height', spray = 0.2, viscosity = 1e-3 }\n"
     "fill { shape = box { min = {0, 0}, max = {0.6, 0.7} } }\n"
     "fill { shape = box { min = {0, 0}, max = {2, 0.2} } }\n"
     "emitter { shape = sphere { center = {0.9, 0.1, 0}, radius = 0.1 }, flow = function(t) return t end }\n"
     "obstacle { shape = sphere { center = {0, 0, 0}, radius = 0.2 },\n"
     "    motion = { position = function(t) return {1.5 - t, 0.1, 0} end } }"},
    // Within chains: drops that join, a solid that it sticks to, a side that they leave by; by the explicit
    // scheme and by a projection.
    {"chain", "scene { fluid = 'liquid', dimension = 2, cell = 1 / 16, fps = 24, frames = 8, steps = 2 }\n"
              "walls { min = {0, 0}, max = {1, 1}, right = 'open' }\n"
              "liquid { method = 'chain', scheme = 'explicit', viscosity = 1e-3 }\n"
              "solver { pressure = 'relaxation', divergence_max = 1e-2 }\n"
              "output { pressure = true }\n"
              "fill { shape = box { min = {0, 0}, max = {0.8, 0.3} } }\n"
              "fill { shape = sphere { center = {0.4, 0.55, 0}, radius = 0.15 }, velocity = {1, -2} }\n"
              "obstacle { shape = sphere { center = {0.5, 0.2, 0}, radius = 0.15 }, slip = 0 }"},
    {"chain_split", "scene { fluid = 'liquid', dimension = 2, cell = 1 / 16, fps = 24, frames = 8 }\n"
                    "walls { min = {0, 0}, max = {1, 1} }\n"
                    "liquid { method = 'chain', viscosity = 1e-3 }\n"
                    "fill { shape = box { min = {0, 0}, max = {0.4, 0.6} } }\n"
                    "fill { shape = sphere { center = {0.7, 0.6, 0}, radius = 0.15 }, velocity = {-1, -2} }\n"
                    "obstacle { shape = sphere { center = {0, 0, 0}, radius = 0.15 },\n"
                    "    motion = { position = function(t) return {0.8 - t, 0.1, 0} end } }"},
    // A surface that pulls, on a solid that it sticks to, and in the open.
    {"tension", "scene { fluid = 'liquid', dimension = 2, cell = 1 / 16, fps = 24, frames = 8 }\n"
                "liquid { surface_tension = 30, contact_angle = deg(60), narrow_band = 0 }\n"
                "fill { shape = sphere { center = {0, 0.3}, radius = 0.3 }, velocity = {1, -1} }\n"
                "obstacle { shape = box { min = {-1, -0.3, -1}, max = {1, 0.02, 1} } }"},
    // Thick ones: the whole stress past a solid that turns and that it sticks to; and of a level set.
    {"thick_liquid",
     "scene { fluid = 'liquid', cell = 1 / 12, fps = 24, frames = 8, steps = 2 }\n"
     "walls { min = {0, 0, 0}, max = {0.9, 0.9, 0.7}, slip = 0, top = 'open' }\n"
     "liquid { viscosity = function(t) return 0.1 + t end, narrow_band = 0 }\n"
     "fill { shape = box { min = {0.1, 0.2, 0.1}, max = {0.5, 0.8, 0.6} }, velocity = {1, -2, 0} }\n"
     "obstacle { shape = box { min = {-0.2, -0.1, -0.2}, max = {0.2, 0.1, 0.2} }, slip = 0,\n"
     "    motion = { position = {0.5, 0.2, 0.3}, spin = {0, 1, 2} } }"},
    {"thick_levelset",
     "scene { fluid = 'liquid', dimension = 2, cell = 1 / 16, fps = 24, frames = 8 }\n"
     "walls { min = {0, 0}, max = {1, 1}, slip = 0 }\n"
     "liquid { method = 'levelset', viscosity = 0.05, viscosity_scheme = 'components' }\n"
     "fill { shape = sphere { center = {0.5, 0.4, 0}, radius = 0.3 }, velocity = {1, -2} }"},
    // Bodies that float, sink, spin and meet each other, an obstacle that moves and a wall.
    {"bodies",
     "scene { fluid = 'liquid', cell = 1 / 12, fps = 24, frames = 8, steps = 2 }\n"
     "walls { min = {0, 0, 0}, max = {1.1, 0.9, 1}, right = 'open' }\n"
     "liquid { narrow_band = 0 }\n"
     "fill { shape = box { min = {0, 0, 0}, max = {0.6, 0.5, 1} } }\n"
     "obstacle { shape = sphere { center = {0, 0, 0}, radius = 0.15 },\n"
     "    motion = { position = function(t) return {0.8 - t, 0.2, 0.5} end } }\n"
     "body { shape = box { min = {-0.1, -0.1, -0.15}, max = {0.1, 0.1, 0.15} }, position = {0.4, 0.5, 0.5},\n"
     "    spin = {1, 2, 3}, velocity = {1, 0, 0} }\n"
     "body { shape = cylinder { from = {0, -0.1, 0}, to = {0, 0.1, 0}, radius = 0.07 }, mass = 5,\n"
     "    position = {0.1, 0.4, 0.4}, rotation = {0.5, 0, 0}, damping = 0 }\n"
     "body { shape = sphere { center = {0, 0, 0}, radius = 0.08 }, position = {0.42, 0.7, 0.45} }"},
    // Pressures on the surface: a function of place, a wave that travels, and one in a shape that ends within
    // a step.
    {"surface_pressure",
     "scene { fluid = 'liquid', dimension = 2, cell = 1 / 20, fps = 24, frames = 8 }\n"
     "walls { min = {0, 0}, max = {1.3, 1.1}, right = 'outflow' }\n"
     "liquid { narrow_band = 0.2, surface_tension = 1 }\n"
     "fill { shape = box { min = {0, 0}, max = {1.3, 0.5} } }\n"
     "surface_pressure { pressure = function(x, y, z, t) return 900 * x * math.cos(9 * t) end }\n"
     "surface_pressure { pressure = keys { {0, 0}, {0.2, 500} }, wavelength = 0.7, speed = 1 }\n"
     "surface_pressure { pressure = 800, shape = sphere { center = {0.4, 0.5}, radius = 0.2 }, stop = 0.11 "
     "}"},
    // Strain, below and above its yield, against a solid that moves.
    {"jelly", "scene { fluid = 'liquid', dimension = 2, cell = 1 / 16, fps = 24, frames = 8 }\n"
              "walls { min = {0, 0}, max = {1, 1}, slip = 0 }\n"
              "liquid { elastic = { modulus = 4000, yield = 0.1, flow = 5 }, viscosity = 1e-3 }\n"
              "fill { shape = box { min = {0.3, 0.2}, max = {0.8, 0.7} }, velocity = {1, -2} }\n"
              "obstacle { shape = box { min = {-0.1, -0.1, -1}, max = {0.1, 0.1, 1} },\n"
              "    motion = { position = function(t) return {0.1 + t, 0.2, 0} end } }"},
    // Strain on the grid, of all components, and the whole stress of a level set.
    {"jelly_levelset",
     "scene { fluid = 'liquid', cell = 1 / 10, fps = 24, frames = 8 }\n"
     "walls { min = {0, 0, 0}, max = {1, 0.9, 0.8}, slip = 0 }\n"
     "liquid { method = 'particle_levelset', surface_particles = 2, viscosity = 1e-3,\n"
     "    elastic = { modulus = 4000, yield = 0.1, flow = 5 } }\n"
     "fill { shape = box { min = {0.3, 0.2, 0.2}, max = {0.8, 0.7, 0.6} }, velocity = {1, -2, 0.5} }\n"
     "obstacle { shape = box { min = {-0.1, -0.1, -1}, max = {0.1, 0.1, 1} },\n"
     "    motion = { position = function(t) return {0.1 + t, 0.2, 0} end } }"},
    // All that brings liquid and takes it away, with clocks between particles, in a core and outside of it.
    {"liquid_sources",
     "scene { fluid = 'liquid', dimension = 2, cell = 1 / 20, fps = 24, frames = 8, steps = 3 }\n"
     "walls { min = {0, 0}, max = {1.3, 1.1}, right = keys { {0, 'outflow'}, {0.25, 'open'} },\n"
     "    left = { kind = function(t) return t < 0.1 and 'wall' or 'inflow' end, velocity = {0.5, 0},\n"
     "        part = box { min = {-1, 0, -1}, max = {1, 0.4, 1} } } }\n"
     "liquid { narrow_band = 0.1 }\n"
     "fill { shape = box { min = {0, 0}, max = {1.3, 0.7} } }\n"
     "emitter { shape = disc { center = {0.3, 1, 0}, normal = {0, -1, 0}, radius = 0.1 }, velocity = {1, "
     "-2},\n"
     "    start = 0.03, stop = 0.3 }\n"
     "emitter { shape = sphere { center = {0.9, 0.3, 0}, radius = 0.1 }, flow = function(t) return t end }\n"
     "emitter { kind = 'blob', shape = sphere { center = {0.8, 0.95, 0}, radius = 0.1 }, start = 0.2 }\n"
     "sink { shape = sphere { center = {0.5, 0.2, 0}, radius = 0.1 }, flow = 0.05 }\n"
     "sink { shape = box { min = {1.1, 0, -1}, max = {1.2, 0.1, 1} }, start = 0.1 }\n"
     "pump { shape = sphere { center = {0.3, 0.4, 0}, radius = 0.1 }, velocity = {0, 1} }"},
    {"liquid_spouts",
     "scene { fluid = 'liquid', cell = 1 / 14, fps = 24, frames = 8, steps = 2 }\n"
     "liquid { method = 'flip', narrow_band = 0 }\n"
     "emitter { kind = 'spout', shape = cylinder { from = {0, 0, 0}, to = {0.2, 0, 0}, radius = 0.15 },\n"
     "    velocity = function(t) return {2, 4 * t, 0} end, spread = deg(10) }\n"
     "obstacle { shape = box { min = {-0.1, -0.4, -0.4}, max = {0.1, 0.4, 0.4} },\n"
     "    motion = { position = function(t) return {0.7 - t, 0, 0} end } }"},
    // All that particles carry, from fills, emitters and sides, in streams that meet.
    {"liquid_colors",
     "scene { fluid = 'liquid', dimension = 2, cell = 1 / 20, fps = 24, frames = 8, steps = 3 }\n"
     "walls { min = {0, 0}, max = {1.3, 1.1}, right = 'open',\n"
     "    left = { kind = 'inflow', velocity = {0.5, 0}, color = {0, 0.3, 1}, temperature = 280,\n"
     "        part = box { min = {-1, 0, -1}, max = {1, 0.4, 1} } } }\n"
     "output { age = true, source = true }\n"
     "fill { shape = box { min = {0, 0}, max = {0.8, 0.5} } }\n"
     "emitter { shape = disc { center = {0.3, 1, 0}, normal = {0, -1, 0}, radius = 0.1 },\n"
     "    velocity = {1, -2}, color = {1, 0.2, 0}, temperature = function(t) return 350 + 100 * t end }"},
    // Two liquids, one of them thick, that yield and thin, past a solid that they stick to.
    {"thick_liquids",
     "scene { fluid = 'liquid', dimension = 2, cell = 1 / 20, fps = 24, frames = 8, steps = 2 }\n"
     "walls { min = {0, 0}, max = {1.3, 1.1}, slip = 0 }\n"
     "liquid { viscosity = 1e-3, yield_stress = 20, shear_exponent = 0.7 }\n"
     "fill { shape = box { min = {0, 0}, max = {0.6, 0.5} } }\n"
     "fill { shape = box { min = {0.6, 0}, max = {1, 0.6} }, viscosity = 0.4 }\n"
     "emitter { shape = disc { center = {0.3, 1, 0}, normal = {0, -1, 0}, radius = 0.1 },\n"
     "    velocity = {0, -1}, viscosity = function(t) return 0.1 + t end }\n"
     "obstacle { shape = sphere { center = {0.8, 0.2, 0}, radius = 0.15 }, slip = 0 }"},
    // Wax that melts on a hot floor and beside a hot solid, and sets in the air.
    {"melting_liquid",
     "scene { fluid = 'liquid', dimension = 2, cell = 1 / 20, fps = 24, frames = 8, steps = 2 }\n"
     "walls { min = {0, 0}, max = {1.3, 1.1}, slip = 0, bottom = { temperature = 400 } }\n"
     "liquid { viscosity = 1e-3, heat_capacity = 2000, melt = { solid = 300, liquid = 320,\n"
     "    viscosity_solid = 50, conductivity = 1e-2, latent_heat = 2e4, heat_transfer = 500 } }\n"
     "fill { shape = box { min = {0.2, 0}, max = {0.8, 0.5} }, temperature = 290 }\n"
     "emitter { shape = disc { center = {0.9, 1, 0}, normal = {0, -1, 0}, radius = 0.1 },\n"
     "    velocity = {0, -1}, temperature = function(t) return 310 + 100 * t end }\n"
     "obstacle { shape = sphere { center = {0.8, 0.2, 0}, radius = 0.15 }, slip = 0,\n"
     "    temperature = function(t) return 340 + t end }"},
    // Level sets: with particles on both sides past a solid that turns, an open side and an eddy that is
    // confined; alone, in the open, with tension; and with all that brings liquid and takes it away.
    {"particle_levelset",
     "scene { fluid = 'liquid', cell = 1 / 10, fps = 24, frames = 8, steps = 2 }\n"
     "walls { min = {0, 0, 0}, max = {1.1, 0.9, 1}, right = 'open' }\n"
     "liquid { method = 'particle_levelset', surface_particles = 2, confinement = 0.3 }\n"
     "surface_control { velocity = function(t) return {4 * t, 0, 1} end, blend = 0.2,\n"
     "    shape = box { min = {0, 0, 0}, max = {0.5, 1, 1} } }\n"
     "output { pressure = true }\n"
     "fill { shape = box { min = {0, 0, 0}, max = {0.4, 0.6, 1} } }\n"
     "fill { shape = sphere { center = {0.8, 0.5, 0.5}, radius = 0.2 }, velocity = {3, 0, 0} }\n"
     "obstacle { shape = box { min = {-0.2, -0.15, -0.2}, max = {0.2, 0.15, 0.2} },\n"
     "    motion = { position = {0.6, 0.2, 0.5}, spin = {1, 2, 3} } }"},
    {"controlled_liquid",
     "scene { fluid = 'liquid', dimension = 2, cell = 1 / 16, fps = 24, frames = 8 }\n"
     "walls { min = {0, 0}, max = {1, 1} }\n"
     "liquid { confinement = 0.5 }\n"
     "surface_control { kind = 'churn', strength = 2, drag = 0.3, start = 0.05 }\n"
     "surface_control { kind = 'calm', shape = box { min = {0, 0, -1}, max = {0.5, 1, 1} } }\n"
     "fill { shape = box { min = {0, 0}, max = {0.4, 0.6} } }"},
    {"levelset", "scene { fluid = 'liquid', dimension = 2, cell = 1 / 16, fps = 24, frames = 8 }\n"
                 "liquid { method = 'levelset', advection = 'maccormack', redistance = 'sweeping',\n"
                 "    surface_tension = 30 }\n"
                 "fill { shape = sphere { center = {0, 0.3}, radius = 0.3 }, velocity = {1, -2} }\n"
                 "obstacle { shape = box { min = {-1, -0.3, -1}, max = {1, -0.1, 1} } }"},
    {"levelset_sources",
     "scene { fluid = 'liquid', dimension = 2, cell = 1 / 20, fps = 24, frames = 8, steps = 3 }\n"
     "walls { min = {0, 0}, max = {1.3, 1.1}, right = keys { {0, 'outflow'}, {0.25, 'open'} },\n"
     "    left = { kind = function(t) return t < 0.1 and 'wall' or 'inflow' end, velocity = {0.5, 0},\n"
     "        part = box { min = {-1, 0, -1}, max = {1, 0.4, 1} } } }\n"
     "liquid { method = 'particle_levelset', advection = 'eno' }\n"
     "fill { shape = box { min = {0, 0}, max = {1.3, 0.7} } }\n"
     "emitter { shape = disc { center = {0.3, 1, 0}, normal = {0, -1, 0}, radius = 0.1 }, velocity = {1, "
     "-2},\n"
     "    start = 0.03, stop = 0.3 }\n"
     "emitter { shape = sphere { center = {0.9, 0.3, 0}, radius = 0.1 }, flow = function(t) return t end }\n"
     "emitter { kind = 'blob', shape = sphere { center = {0.8, 0.95, 0}, radius = 0.1 }, start = 0.2 }\n"
     "sink { shape = sphere { center = {0.5, 0.2, 0}, radius = 0.1 }, flow = 0.05 }\n"
     "sink { shape = box { min = {1.1, 0, -1}, max = {1.2, 0.1, 1} }, start = 0.1 }\n"
     "pump { shape = sphere { center = {0.3, 0.4, 0}, radius = 0.1 }, velocity = {0, 1} }"},
    {"levelset_given_flow",
     "scene { fluid = 'liquid', dimension = 2, cell = 1 / 20, fps = 24, frames = 8 }\n"
     "liquid { method = 'particle_levelset' }\n"
     "fill { shape = sphere { center = {0.5, 0.7}, radius = 0.25 } }\n"
     "flow { velocity = function(x, y, z, t) return {-4 * y * math.cos(9 * t), 4 * x} end }"},
    {"smoke_given_flow",
     "scene { dimension = 2, cell = 1 / 20, fps = 24, frames = 8 }\n"
     "fill { shape = sphere { center = {0.5, 0.7}, radius = 0.25 } }\n"
     "flow { velocity = function(x, y, z, t) return {-4 * y * math.cos(9 * t), 4 * x} end }"},
    {"apic_given_flow", "scene { fluid = 'liquid', dimension = 2, cell = 1 / 20, fps = 24, frames = 8 }\n"
                        "fill { shape = sphere { center = {0.5, 0.7}, radius = 0.25 } }\n"
                        "flow { velocity = keys { {0, {1, 0}}, {0.2, {2, 1}} } }"},
    {"stable_box", "scene { fluid = 'stable', cell = 1 / 12, fps = 24, frames = 8 }\n"
                   "walls { min = {0, 0, 0}, max = {1, 1, 0.8} }\n"
                   "stable { viscosity = 1e-3, diffusion = 1e-3 }\n"
                   "emitter { shape = sphere { center = {0.5, 0.3, 0.4}, radius = 0.2 }, density_rate = 5,\n"
                   "    velocity = {0, 1, 0.2} }\n"
                   "obstacle { shape = sphere { center = {0, 0, 0}, radius = 0.15 },\n"
                   "    motion = { position = function(t) return {0.3 + t, 0.7, 0.4} end } }"},
    {"stable_whole_numbers",
     "scene { fluid = 'stable', dimension = 2, cell = 1 / 20, fps = 24, frames = 8 }\n"
     "walls { min = {0, 0}, max = {1, 1} }\n"
     "stable { number = 'fixed' }\n"
     "emitter { shape = sphere { center = {0.5, 0.3}, radius = 0.2 }, density_rate = 900, velocity = {0, 1} "
     "}"},
    // Streams that hardly turn from step to step, and one of a given flow that a wall cuts as it moves.
    {"turning_streams",
     "scene { fluid = 'liquid', cell = 1 / 16, fps = 24, frames = 8 }\n"
     "walls { min = {0, 0, 0}, max = {1, 1, 1} }\n"
     "emitter { shape = disc { center = {0.7, 0.9, 0.5}, normal = {0, -1, 0}, radius = 0.1 },\n"
     "    velocity = function(t) return {1e-4 * t, -1 - t, 0} end }\n"
     "emitter { shape = disc { center = {0.15, 0.9, 0.5}, normal = {0, -1, 0}, radius = 0.1 }, flow = 0.1,\n"
     "    offset = function(t) return {-0.6 * t, 0, 0} end }"},
};

enum { KEPT_SCENES = sizeof kept_scenes / sizeof *kept_scenes };

static inline BwScene *load_kept_scene(int n)
{
    BwScene *scene;
    BwError err = {0};
    const KeptScene *kept = &kept_scenes[n];
    if (bw_scene_load_text(&scene, kept->text, strlen(kept->text), kept->name, NULL, &err) != BW_OK)
        fail_msg("%s", err.message);
    return scene;
}
