// The table of constructors and fields; those of shapes and pictures stand in headers of their own.
#include "scene/vocabulary.h"

#include "scene/field_rows.h"
#include "scene/picture_fields.h"
#include "scene/rules.h"
#include "scene/shape_fields.h"

#include <math.h>
#include <string.h>

// Rows stay rows.
// clang-format off

#define X(name, text) text,
NAMES(fluid_names, BW_FLUIDS(X));
#undef X
NAMES(wall_names, "wall", "open", "inflow", "outflow");
NAMES(emitter_names, "region", "blob", "spout");
NAMES(force_names, "uniform", "point", "vortex", "drag", "turbulence");
NAMES(control_names, "wind", "calm", "churn");
NAMES(advection_names, "semi_lagrangian", "cubic", "maccormack", "reflection");
NAMES(liquid_names, "apic", "flip", "markers", "levelset", "particle_levelset", "chain", "height");
NAMES(outflow_names, "column", "follow");
NAMES(scheme_names, "split", "explicit");
NAMES(viscosity_scheme_names, "coupled", "components");
NAMES(surface_advection_names, "semi_lagrangian", "maccormack", "upwind", "eno", "weno");
NAMES(redistance_names, "marching", "sweeping", "pde");
NAMES(correction_names, "both", "inside");
NAMES(seeding_names, "jittered", "lattice");
NAMES(fire_names, "thin", "simple");
#define X(name, text) text,
NAMES(fuel_names, BW_FUELS(X));
#undef X
NAMES(waves_names, "sum", "simple", "equation");
NAMES(sph_names, "plain", "divergence_free");
NAMES(number_names, "float", "fixed");
NAMES(stable_names, "relaxation", "cg", "fast");
NAMES(pressure_names, "multigrid", "miccg", "cg", "relaxation");

#define DEF BwSceneDef
static const BwSceneField scene_fields[] = {
    {"title", BW_FIELD_TEXT, AT(title), NULL, ANY, 0, "told by info; the title of movies and pictures as files", .text = "untitled"},
    {"fluid", BW_FIELD_CHOICE, AT(fluid), NULL, ANY, 0, "what flows", {BW_FLUID_SMOKE},
     .names = &fluid_names},
    {"cell", BW_FIELD_NUMBER, AT(cell), "m", ABOVE_ZERO, BW_REQUIRED,
     "side of a cell: half of it, eight times the work"},
    {"dimension", BW_FIELD_INTEGER, AT(dimension), NULL, FROM_TO(2, 3), 0, "2 for flat scenes, 3 for space",
     {3}},
    {"frames", BW_FIELD_INTEGER, AT(frames), NULL, FROM_TO(1, 1000000), BW_ZERO_UNSET, "how many to make",
     .text = "from duration, else 120"},
    {"duration", BW_FIELD_DOUBLE, AT(duration), "s", ABOVE_ZERO, BW_ZERO_UNSET, "instead of frames",
     .text = "from frames"},
    {"fps", BW_FIELD_DOUBLE, AT(fps), "1/s", ABOVE_TO(0, 100000), 0, "frames per second", {24}},
    {"cfl", BW_FIELD_NUMBER, AT(cfl), "1", ABOVE_TO(0, 100), 0, "cells that fluid crosses in a step at most",
     {2}},
    {"dt_min", BW_FIELD_DOUBLE, AT(dt_min), "s", NOT_NEGATIVE, 0, "shortest step, whatever cfl asks"},
    {"dt_max", BW_FIELD_DOUBLE, AT(dt_max), "s", ABOVE_ZERO, BW_ENDLESS, "longest step", {INFINITY}},
    {"steps", BW_FIELD_INTEGER, AT(steps), NULL, FROM_TO(1, 100000), BW_ZERO_UNSET, "fixed number a frame",
     .text = "as cfl asks"},
    {"steps_max", BW_FIELD_INTEGER, AT(steps_max), NULL, FROM_TO(1, 100000), 0, "most a frame", {100}},
    {"gravity", BW_FIELD_VECTOR_CURVE, AT(gravity), "m/s^2", ANY, BW_IN_PLANE | BW_DEFAULTED,
     "pull on everything", {0, -9.81, 0}},
    {"seed", BW_FIELD_SEED, AT(seed), NULL, FROM_TO(0, 9007199254740992.0), 0,
     "another number, another chance", {1}},
};
static const char *const scene_conflicts[][2] = {{"frames", "duration"}, {"steps", "cfl"},
                                                 {"steps", "steps_max"}, {"steps", "dt_min"},
                                                 {"steps", "dt_max"},    {NULL, NULL}};
#undef DEF

#define DEF BwWallSideDef
static const BwSceneField side_fields[] = {
    {"kind", BW_FIELD_CHOICE_CURVE, AT(kind), NULL, ANY, 0, "what the side does", {BW_WALL_CLOSED},
     .names = &wall_names, .curve_offset = AT(kind_curve)},
    {"velocity", BW_FIELD_VECTOR_CURVE, AT(velocity), "m/s", ANY, BW_IN_PLANE,
     "of a moving lid, or of what flows in"},
    {"temperature", BW_FIELD_CURVE, AT(temperature), "K", ABOVE_ZERO, 0,
     "of a heated wall, or of what flows in", .text = "insulated"},
    {"color", BW_FIELD_COLOR, AT(color), "1", SHARE, 0, "of the liquid that flows in; white is look.water_color",
     {1, 1, 1}},
    {"slip", BW_FIELD_CURVE, AT(slip), "1", SHARE, 0, "1 slides freely, 0 sticks", .text = "walls.slip"},
    {"part", BW_FIELD_SHAPE, AT(part), NULL, ANY, 0, "only where this shape meets the side; the rest is wall",
     .text = "all of it"},
};
static const BwConstructor side = {
    "side", BW_USE_GROUP, side_fields, COUNT(side_fields), sizeof(DEF), .first_alone = true,
    .rule = bw_rule_side, .meaning = "one side of the box"};
#undef DEF

#define DEF BwWallsDef
#define SIDE(name, number, meaning)                                                                          \
    {name, BW_FIELD_GROUP, AT(side[number]), NULL, ANY, 0, meaning, .group = &side}
static const BwSceneField walls_fields[] = {
    {"min", BW_FIELD_VECTOR, AT(min), "m", ANY, BW_REQUIRED | BW_IN_PLANE, "low corner of the box"},
    {"max", BW_FIELD_VECTOR, AT(max), "m", ANY, BW_REQUIRED | BW_IN_PLANE, "high corner of the box"},
    SIDE("left", BW_LEFT, "side at low x"),
    SIDE("right", BW_RIGHT, "side at high x"),
    SIDE("bottom", BW_BOTTOM, "side at low y"),
    SIDE("top", BW_TOP, "side at high y"),
    SIDE("back", BW_BACK, "side at low z"),
    SIDE("front", BW_FRONT, "side at high z"),
    {"slip", BW_FIELD_NUMBER, AT(slip), "1", SHARE, 0, "1 slides freely, 0 sticks", {1}},
    {"periodic", BW_FIELD_AXES, AT(periodic), NULL, ANY, 0, "axes whose two sides are joined"},
};
#undef DEF

#define DEF BwFillDef
static const BwSceneField fill_fields[] = {
    {"shape", BW_FIELD_SHAPE, AT(shape), NULL, ANY, BW_REQUIRED, "what is filled"},
    {"velocity", BW_FIELD_VECTOR, AT(velocity), "m/s", ANY, BW_IN_PLANE, "at the start"},
    {"density", BW_FIELD_NUMBER, AT(density), "1", NOT_NEGATIVE, 0, "at the start", {1}},
    {"temperature", BW_FIELD_NUMBER, AT(temperature), "K", ABOVE_ZERO, BW_NAN_UNSET, "at the start", {NAN},
     .text = "ambient"},
    {"fuel", BW_FIELD_NUMBER, AT(fuel), "1", SHARE, 0, "share of the gas that is fuel, for fire"},
    {"viscosity", BW_FIELD_NUMBER, AT(viscosity), "m^2/s", NOT_NEGATIVE, BW_NAN_UNSET, "of this liquid, kinematic",
     {NAN}, .text = "liquid.viscosity"},
    {"color", BW_FIELD_COLOR, AT(color), "1", SHARE, 0,
     "advected with it: of smoke a factor on its albedo, of liquids their tint, white being look.water_color", {1, 1, 1}},
};
#undef DEF

#define DEF BwInitialDef
static const BwSceneField initial_fields[] = {
    {"velocity", BW_FIELD_VECTOR_PLACE, AT(velocity), "m/s", ANY, BW_IN_PLANE, "at a place"},
    {"density", BW_FIELD_PLACE, AT(density), "1", NOT_NEGATIVE, 0, "at a place"},
    {"temperature", BW_FIELD_PLACE, AT(temperature), "K", ABOVE_ZERO, 0, "at a place"},
};
#undef DEF

#define DEF BwGivenFlowDef
static const BwSceneField flow_fields[] = {
    {"velocity", BW_FIELD_VECTOR_PLACE_CURVE, AT(velocity), "m/s", ANY, BW_IN_PLANE,
     "that smoke or a liquid moves by, instead of what forces and pressure make"},
};
#undef DEF

#define DEF BwNoiseDef
static const BwSceneField noise_fields[] = {
    {"amplitude", BW_FIELD_NUMBER, AT(amplitude), "1", FROM_TO(0, 100), 0, "share that varies"},
    {"size", BW_FIELD_NUMBER, AT(size), "m", ABOVE_ZERO, 0, "of a patch", {0.1}},
    {"speed", BW_FIELD_NUMBER, AT(speed), "1/s", NOT_NEGATIVE, 0, "of change", {1}},
};
static const BwConstructor noise = {
    "noise", BW_USE_GROUP, noise_fields, COUNT(noise_fields), sizeof(DEF), .first_alone = true,
    .meaning = "texture of what is emitted"};
#undef DEF

#define DEF BwEmitterDef
static const BwSceneField emitter_fields[] = {
    {"shape", BW_FIELD_SHAPE, AT(shape), NULL, ANY, BW_REQUIRED, "where it emits"},
    {"kind", BW_FIELD_CHOICE, AT(kind), NULL, ANY, 0, "the inside, its shape once at the start, or a jet",
     {BW_EMIT_REGION}, .names = &emitter_names},
    {"velocity", BW_FIELD_VECTOR_CURVE, AT(velocity), "m/s", ANY, BW_IN_PLANE, "held inside",
     .text = "the fluid's own"},
    {"density", BW_FIELD_CURVE, AT(density), "1", NOT_NEGATIVE, 0, "held inside", .text = "not touched"},
    {"density_rate", BW_FIELD_CURVE, AT(density_rate), "1/s", NOT_NEGATIVE, 0, "added each second",
     .text = "not touched"},
    {"temperature", BW_FIELD_CURVE, AT(temperature), "K", ABOVE_ZERO, 0, "held inside",
     .text = "not touched"},
    {"fuel", BW_FIELD_CURVE, AT(fuel), "1", SHARE, 0, "share of the gas that is fuel, held inside, for fire", .text = "not touched"},
    {"flow", BW_FIELD_CURVE, AT(flow), "m^3/s", NOT_NEGATIVE, 0, "volume given each second, for liquids",
     .text = "not touched"},
    {"viscosity", BW_FIELD_CURVE, AT(viscosity), "m^2/s", NOT_NEGATIVE, 0, "of the liquid that it gives, kinematic",
     .text = "liquid.viscosity"},
    {"offset", BW_FIELD_VECTOR_CURVE, AT(offset), "m", ANY, BW_IN_PLANE,
     "by which its shape is moved, for streams of liquid: a nozzle; velocity is then relative to it", .text = "it stands still"},
    {"spread", BW_FIELD_NUMBER, AT(spread), "rad", FROM_TO(0, 1.5707964), 0, "half angle of a spout"},
    {"falloff", BW_FIELD_NUMBER, AT(falloff), "m", NOT_NEGATIVE, 0,
     "width of a soft edge, half of it inside the shape", .text = "a sharp edge"},
    {"noise", BW_FIELD_GROUP, AT(noise), NULL, ANY, 0, "texture; a number alone is its amplitude",
     .group = &noise},
    {"color", BW_FIELD_COLOR, AT(color), "1", SHARE, 0,
     "of what is emitted: of smoke a factor on its albedo, of liquids their tint, white being look.water_color", {1, 1, 1}},
    START_STOP,
};
static const char *const emitter_conflicts[][2] = {{"density", "density_rate"}, {NULL, NULL}};
// The emitter's fields without the first, its shape.
static const BwConstructor emit = {
    "emit", BW_USE_GROUP, emitter_fields + 1, COUNT(emitter_fields) - 1, sizeof(DEF),
    .conflicts = emitter_conflicts, .rule = bw_rule_emit, .meaning = "what an obstacle's surface emits"};
#undef DEF

#define DEF BwSinkDef
static const BwSceneField sink_fields[] = {
    {"shape", BW_FIELD_SHAPE, AT(shape), NULL, ANY, BW_REQUIRED, "where fluid vanishes"},
    {"flow", BW_FIELD_CURVE, AT(flow), "m^3/s", NOT_NEGATIVE, 0, "volume drawn each second, for liquids",
     .text = "all that gets in"},
    START_STOP,
};
#undef DEF

#define DEF BwPumpDef
static const BwSceneField pump_fields[] = {
    {"shape", BW_FIELD_SHAPE, AT(shape), NULL, ANY, BW_REQUIRED, "where it drives the fluid"},
    {"velocity", BW_FIELD_VECTOR_CURVE, AT(velocity), "m/s", ANY, BW_REQUIRED | BW_IN_PLANE, "held inside"},
    START_STOP,
};
#undef DEF

#define DEF BwMotionDef
static const BwSceneField motion_fields[] = {
    {"position", BW_FIELD_VECTOR_CURVE, AT(position), "m", ANY, BW_IN_PLANE, "where the shape's origin is"},
    {"velocity", BW_FIELD_VECTOR_CURVE, AT(velocity), "m/s", ANY, BW_IN_PLANE, "instead of position"},
    {"rotation", BW_FIELD_VECTOR_CURVE, AT(rotation), "rad", ANY, BW_ABOUT_Z, "axis times angle"},
    {"spin", BW_FIELD_VECTOR_CURVE, AT(spin), "rad/s", ANY, BW_ABOUT_Z,
     "instead of rotation: axis times rate"},
};
static const char *const motion_conflicts[][2] = {
    {"position", "velocity"}, {"rotation", "spin"}, {NULL, NULL}};
static const BwConstructor motion = {
    "motion", BW_USE_GROUP, motion_fields, COUNT(motion_fields), sizeof(DEF), .conflicts = motion_conflicts,
    .meaning = "how a solid moves"};
#undef DEF

#define DEF BwSolidFuelDef
static const BwSceneField solid_fuel_fields[] = {
    {"rate", BW_FIELD_PLACE_CURVE, AT(rate), "m/s", NOT_NEGATIVE, BW_DEFAULTED,
     "at which its surface recedes and turns to gas; a function's place is in the obstacle's own coordinates", {0.002}},
    {"density", BW_FIELD_NUMBER, AT(density), "kg/m^3", ABOVE_ZERO, 0, "of the solid", {500}},
    {"thickness", BW_FIELD_NUMBER, AT(thickness), "m", ABOVE_ZERO, BW_ENDLESS, "of what burns, from the surface inwards",
     {0.02}},
    {"ignition", BW_FIELD_NUMBER, AT(ignition), "K", ABOVE_ZERO, BW_NAN_UNSET, "from which on it gives off gas", {NAN},
     .text = "fire.fuel.ignition"},
    {"heating", BW_FIELD_NUMBER, AT(heating), "1/s", NOT_NEGATIVE, 0,
     "at which its surface takes on the temperature beside it", {2}},
    {"spread", BW_FIELD_NUMBER, AT(spread), "m/s", NOT_NEGATIVE, 0, "of fire that creeps along it", {0.02}},
    {"lit", BW_FIELD_SHAPE, AT(lit), NULL, ANY, 0, "where it is alight at the start, in its own coordinates",
     .text = "nowhere"},
};
static const BwConstructor solid_fuel = {
    "solid_fuel", BW_USE_GROUP, solid_fuel_fields, COUNT(solid_fuel_fields), sizeof(DEF),
    .meaning = "what of an obstacle burns"};
#undef DEF

#define DEF BwObstacleDef
static const BwSceneField obstacle_fields[] = {
    {"shape", BW_FIELD_SHAPE, AT(shape), NULL, ANY, BW_REQUIRED, "what stands in the way"},
    {"motion", BW_FIELD_GROUP, AT(motion), NULL, ANY, 0, "how it moves", .group = &motion},
    {"temperature", BW_FIELD_CURVE, AT(temperature), "K", ABOVE_ZERO, 0, "of its surface",
     .text = "insulated"},
    {"slip", BW_FIELD_CURVE, AT(slip), "1", SHARE, 0, "1 slides freely, 0 sticks", .text = "walls.slip"},
    {"emit", BW_FIELD_OWNED_GROUP, AT(emit), NULL, ANY, 0, "what its surface emits", .group = &emit},
    {"fuel", BW_FIELD_OWNED_GROUP, AT(fuel), NULL, ANY, 0, "what of it burns, for fire", .group = &solid_fuel},
    {"color", BW_FIELD_COLOR, AT(color), "1", SHARE, 0, "in pictures", {0.6, 0.6, 0.65}},
    {"glass", BW_FIELD_FLAG, AT(is_glass), NULL, ANY, 0, "drawn as clear glass, which its color tints"},
};
#undef DEF

#define DEF BwBodyDef
static const BwSceneField body_fields[] = {
    {"shape", BW_FIELD_SHAPE, AT(shape), NULL, ANY, BW_REQUIRED,
     "what floats or sinks, about its own origin"},
    {"mass", BW_FIELD_NUMBER, AT(mass), "kg", ABOVE_ZERO, BW_ZERO_UNSET, "of the whole",
     .text = "from material_density"},
    {"material_density", BW_FIELD_NUMBER, AT(material_density), "kg/m^3", ABOVE_ZERO, 0, "instead of mass",
     {500}},
    {"position", BW_FIELD_VECTOR, AT(position), "m", ANY, BW_IN_PLANE, "at the start"},
    {"velocity", BW_FIELD_VECTOR, AT(velocity), "m/s", ANY, BW_IN_PLANE, "at the start"},
    {"rotation", BW_FIELD_VECTOR, AT(rotation), "rad", ANY, BW_ABOUT_Z, "at the start: axis times angle"},
    {"spin", BW_FIELD_VECTOR, AT(spin), "rad/s", ANY, BW_ABOUT_Z, "at the start: axis times rate"},
    {"damping", BW_FIELD_NUMBER, AT(damping), "1/s", NOT_NEGATIVE, 0,
     "rate at which what of it is wet takes on the velocity of the flow", {1}},
    {"color", BW_FIELD_COLOR, AT(color), "1", SHARE, 0, "in pictures", {0.75, 0.5, 0.3}},
};
static const char *const body_conflicts[][2] = {{"mass", "material_density"}, {NULL, NULL}};
#undef DEF

#define DEF BwForceDef
static const BwSceneField force_fields[] = {
    {"shape", BW_FIELD_SHAPE, AT(shape), NULL, ANY, 0, "where it acts", .text = "everywhere"},
    {"field", BW_FIELD_CHOICE, AT(field), NULL, ANY, 0, "how it acts", {BW_FORCE_UNIFORM},
     .names = &force_names},
    {"acceleration", BW_FIELD_VECTOR_CURVE, AT(acceleration), "m/s^2", ANY, BW_IN_PLANE,
     "of a uniform field"},
    {"center", BW_FIELD_VECTOR_CURVE, AT(center), "m", ANY, BW_IN_PLANE, "of a point or vortex"},
    {"axis", BW_FIELD_VECTOR_CURVE, AT(axis), "1", ANY, 0, "of a vortex; in 2-D always z",
     .text = "y, in 2-D z"},
    {"strength", BW_FIELD_CURVE, AT(strength), NULL, ANY, 0,
     "m/s^2 at `radius` away: outwards (point), round the axis (vortex); 1/s (drag); m/s^2 rms (turbulence)"},
    {"radius", BW_FIELD_NUMBER, AT(radius), "m", ABOVE_ZERO, 0, "where the strength is measured", {0.5}},
    {"scale", BW_FIELD_NUMBER, AT(scale), "m", ABOVE_ZERO, 0, "size of the swirls of turbulence", {0.2}},
    {"speed", BW_FIELD_NUMBER, AT(speed), "1/s", NOT_NEGATIVE, 0, "how often turbulence changes", {1}},
    START_STOP,
};
#undef DEF

// What smoke and fire have in common: the gas, its motion and where it is followed.
#define AMBIENT(at) {"ambient", BW_FIELD_NUMBER, at(ambient), "K", ABOVE_ZERO, 0, "temperature of still air", {293.15}}
#define BUOYANCY(at, unset)                                                                                  \
    {"buoyancy_heat", BW_FIELD_NUMBER, at(buoyancy_heat), "m/(s^2 K)", ANY, BW_NAN_UNSET,                    \
     "rise per degree above ambient", {NAN}, .text = unset},                                                 \
    {"buoyancy_weight", BW_FIELD_NUMBER, at(buoyancy_weight), "m/s^2", ANY, 0, "fall per unit of density",   \
     {0.1}}
#define DISSIPATION(at)                                                                                      \
    {"dissipation", BW_FIELD_NUMBER, at(dissipation), "1/s", NOT_NEGATIVE, 0, "rate at which smoke thins"}
#define GAS(at)                                                                                              \
    {"wind", BW_FIELD_VECTOR_CURVE, at(wind), "m/s", ANY, BW_IN_PLANE | BW_DEFAULTED,                        \
     "velocity the smoke is blown to at the rim of its air: without walls, or with an envelope"},            \
    {"wind_rate", BW_FIELD_NUMBER, at(wind_rate), "1/s", NOT_NEGATIVE, 0, "how fast wind takes hold", {1}},  \
    {"viscosity", BW_FIELD_NUMBER, at(viscosity), "m^2/s", NOT_NEGATIVE, 0, "kinematic"},                    \
    {"conductivity", BW_FIELD_NUMBER, at(conductivity), "m^2/s", NOT_NEGATIVE, 0, "diffusion of heat"},      \
    {"subgrid", BW_FIELD_NUMBER, at(subgrid), "1", SHARE, 0,                                                 \
     "friction on motion two cells wide, per rate of strain and squared cell; 0: none", {0.32}},             \
    {"advection", BW_FIELD_CHOICE, at(advection), NULL, ANY, 0, "scheme that fields are advected by",        \
     {BW_ADVECT_MACCORMACK}, .names = &advection_names},                                                     \
    {"envelope", BW_FIELD_NUMBER, at(envelope), "m", ABOVE_ZERO, BW_ZERO_UNSET, "air solved around the smoke",\
     .text = "three cells"},                                                                                 \
    {"threshold", BW_FIELD_NUMBER, at(threshold), "1", ABOVE_ZERO, 0, "density below which there is no smoke",\
     {1e-3}}

#define DEF BwChargeDef
static const BwSceneField charge_fields[] = {
    {"shape", BW_FIELD_SHAPE, AT(shape), NULL, ANY, BW_REQUIRED, "what expands"},
    {"energy", BW_FIELD_NUMBER, AT(energy), "J", ABOVE_ZERO, BW_ZERO_UNSET, "that it releases",
     .text = "from volume"},
    {"volume", BW_FIELD_NUMBER, AT(volume), "m^3", ABOVE_ZERO, BW_ZERO_UNSET, "that the gas gains",
     .text = "from energy"},
    {"start", BW_FIELD_DOUBLE, AT(start), "s", NOT_NEGATIVE, 0, "when it begins"},
    {"stop", BW_FIELD_DOUBLE, AT(stop), "s", NOT_NEGATIVE, 0, "when all is released", {0.05}},
};
static const char *const charge_conflicts[][2] = {{"energy", "volume"}, {NULL, NULL}};
#undef DEF

#define DEF BwSmokeDef
static const BwSceneField smoke_fields[] = {
    AMBIENT(AT),
    BUOYANCY(AT, "gravity / ambient"),
    {"confinement", BW_FIELD_NUMBER, AT(confinement), "1/s", NOT_NEGATIVE, 0, "vorticity put back"},
    DISSIPATION(AT),
    {"cooling", BW_FIELD_NUMBER, AT(cooling), "1/s", NOT_NEGATIVE, 0, "rate at which heat fades to ambient"},
    GAS(AT),
};
#undef DEF

#define DEF BwElasticDef
static const BwSceneField elastic_fields[] = {
    {"modulus", BW_FIELD_NUMBER, AT(modulus), "Pa", NOT_NEGATIVE, 0, "shear modulus; 0: not elastic"},
    {"yield", BW_FIELD_NUMBER, AT(yield), "1", NOT_NEGATIVE, BW_ENDLESS, "strain above which it flows",
     {INFINITY}},
    {"flow", BW_FIELD_NUMBER, AT(flow), "1/s", NOT_NEGATIVE, 0, "rate at which strain above yield fades", {1}},
};
static const BwConstructor elastic = {
    "elastic", BW_USE_GROUP, elastic_fields, COUNT(elastic_fields), sizeof(DEF),
    .meaning = "liquids that bounce and wobble"};
#undef DEF

#define DEF BwMeltDef
static const BwSceneField melt_fields[] = {
    {"solid", BW_FIELD_NUMBER, AT(solid), "K", ABOVE_ZERO, 0, "at and below: viscosity_solid", {300}},
    {"liquid", BW_FIELD_NUMBER, AT(liquid), "K", ABOVE_ZERO, 0, "at and above: liquid.viscosity", {350}},
    {"viscosity_solid", BW_FIELD_NUMBER, AT(viscosity_solid), "m^2/s", NOT_NEGATIVE, 0,
     "of the cold; 0: does not melt"},
    {"conductivity", BW_FIELD_NUMBER, AT(conductivity), "m^2/s", NOT_NEGATIVE, 0, "diffusion of heat",
     {1e-6}},
    {"latent_heat", BW_FIELD_NUMBER, AT(latent_heat), "J/kg", NOT_NEGATIVE, 0,
     "that melting takes up between solid and liquid"},
    {"heat_transfer", BW_FIELD_NUMBER, AT(heat_transfer), "W/(m^2 K)", NOT_NEGATIVE, 0,
     "through the free surface to the air"},
};
static const BwConstructor melt = {
    "melt", BW_USE_GROUP, melt_fields, COUNT(melt_fields), sizeof(DEF), .rule = bw_rule_melt,
    .meaning = "viscosity that follows temperature"};
#undef DEF

#define DEF BwSprayDef
static const BwSceneField spray_fields[] = {
    {"speed", BW_FIELD_NUMBER, AT(speed), "m/s", NOT_NEGATIVE, 0, "at which the surface has to rise to throw drops; 0: none"},
    {"rate", BW_FIELD_NUMBER, AT(rate), "1/m^3", NOT_NEGATIVE, 0,
     "drops a second from a square metre, for each m/s that it rises faster", {2000}},
    {"radius", BW_FIELD_NUMBER, AT(radius), "m", ABOVE_ZERO, BW_ZERO_UNSET, "of the largest drops", .text = "a tenth of a cell"},
    {"spread", BW_FIELD_NUMBER, AT(spread), "rad", FROM_TO(0, 1.5), 0, "by which their way differs from that of the surface", {0.2}},
    {"breakup", BW_FIELD_NUMBER, AT(breakup), "1/s", NOT_NEGATIVE, 0, "chance of a drop to break in two", {1}},
    {"drag", BW_FIELD_NUMBER, AT(drag), "1/m", NOT_NEGATIVE, 0, "of the air on the largest drops; smaller ones have more", {0.05}},
    {"wind", BW_FIELD_VECTOR_CURVE, AT(wind), "m/s", ANY, BW_IN_PLANE, "of the air that drops fly through", .text = "none"},
    {"life", BW_FIELD_NUMBER, AT(life), "s", ABOVE_ZERO, 0, "of a drop in the air, at most", {10}},
    {"count_max", BW_FIELD_INTEGER, AT(count_max), NULL, FROM_TO(1, 10000000), 0, "drops and patches of foam at a time", {100000}},
};
static const BwConstructor spray = {
    "spray", BW_USE_GROUP, spray_fields, COUNT(spray_fields), sizeof(DEF), .first_alone = true,
    .meaning = "drops that a fast surface throws"};
#undef DEF

#define DEF BwFoamDef
static const BwSceneField foam_fields[] = {
    {"life", BW_FIELD_NUMBER, AT(life), "s", NOT_NEGATIVE, 0, "of what the largest drops leave, on average; 0: no foam"},
    {"spread", BW_FIELD_NUMBER, AT(spread), "1", ABOVE_ZERO, 0, "radius of a patch over that of its drop", {2}},
};
static const BwConstructor foam = {
    "foam", BW_USE_GROUP, foam_fields, COUNT(foam_fields), sizeof(DEF), .first_alone = true,
    .meaning = "what spray leaves on the surface"};
#undef DEF

#define DEF BwLiquidDef
static const BwSceneField liquid_fields[] = {
    {"method", BW_FIELD_CHOICE, AT(method), NULL, ANY, 0, "how the surface is followed", {BW_LIQUID_APIC},
     .names = &liquid_names},
    {"scheme", BW_FIELD_CHOICE, AT(scheme), NULL, ANY, 0, "how a step is taken; explicit: Foster and Metaxas 1996", {BW_SCHEME_SPLIT},
     .names = &scheme_names},
    {"donor_cell", BW_FIELD_NUMBER, AT(donor_cell), "1", SHARE, BW_NAN_UNSET,
     "of scheme \"explicit\": share of upstream values in advection; 0: central differences alone, in steps of at most 2 viscosity / speed^2",
     {NAN}, .text = "none where viscosity is enough, else speed dt / cell"},
    {"outflow", BW_FIELD_CHOICE, AT(outflow), NULL, ANY, 0,
     "of scheme \"explicit\": a column of water outside lets waves leave, or faces follow the flow as in the paper", {BW_OUTFLOW_COLUMN},
     .names = &outflow_names},
    {"density", BW_FIELD_NUMBER, AT(density), "kg/m^3", ABOVE_ZERO, 0, "", {1000}},
    {"viscosity", BW_FIELD_CURVE, AT(viscosity), "m^2/s", NOT_NEGATIVE, BW_DEFAULTED, "kinematic"},
    {"viscosity_scheme", BW_FIELD_CHOICE, AT(viscosity_scheme), NULL, ANY, 0,
     "all of the stress, or each component of the velocity for itself", {BW_VISCOSITY_COUPLED},
     .names = &viscosity_scheme_names},
    {"yield_stress", BW_FIELD_NUMBER, AT(yield_stress), "Pa", NOT_NEGATIVE, 0, "below which it holds like a solid"},
    {"shear_exponent", BW_FIELD_NUMBER, AT(shear_exponent), "1", FROM_TO(0.05, 3), 0,
     "stress goes as the rate of strain to this power: below 1 thins when sheared", {1}},
    {"heat_capacity", BW_FIELD_NUMBER, AT(heat_capacity), "J/(kg K)", ABOVE_ZERO, 0, "", {4186}},
    {"surface_tension", BW_FIELD_NUMBER, AT(surface_tension), "N/m", NOT_NEGATIVE, 0, "water has 0.072"},
    {"contact_angle", BW_FIELD_NUMBER, AT(contact_angle), "rad", FROM_TO(0, 3.14159274), 0,
     "of the surface at walls and obstacles, through the liquid; with surface_tension", {1.57079633}},
    {"confinement", BW_FIELD_NUMBER, AT(confinement), "1/s", NOT_NEGATIVE, 0, "vorticity put back"},
    {"narrow_band", BW_FIELD_NUMBER, AT(narrow_band), "m", NOT_NEGATIVE, BW_NAN_UNSET,
     "depth of particles below the surface; 0: particles everywhere", {NAN}, .text = "six cells"},
    {"flip_ratio", BW_FIELD_NUMBER, AT(flip_ratio), "1", SHARE, 0, "share of FLIP, the rest is PIC", {0.97}},
    {"particles_per_cell", BW_FIELD_INTEGER, AT(particles_per_cell), NULL, FROM_TO(1, 4), 0,
     "along each axis", {2}},
    {"seeding", BW_FIELD_CHOICE, AT(seeding), NULL, ANY, 0, "how particles start inside their cell",
     {BW_SEEDING_JITTERED}, .names = &seeding_names},
    {"volume_correction", BW_FIELD_NUMBER, AT(volume_correction), "1", SHARE, 0,
     "share of the error of the particles' density, or of a level set's lost volume, that a step corrects; 0: none", {0.5}},
    {"advection", BW_FIELD_CHOICE, AT(advection), NULL, ANY, 0, "of the surface of level sets", {BW_SURFACE_WENO},
     .names = &surface_advection_names},
    {"redistance", BW_FIELD_CHOICE, AT(redistance), NULL, ANY, 0, "how level sets are made a distance again",
     {BW_REDISTANCE_MARCHING}, .names = &redistance_names},
    {"correction_side", BW_FIELD_CHOICE, AT(correction_side), NULL, ANY, 0,
     "where the particles of particle_levelset are", {BW_CORRECTION_BOTH}, .names = &correction_names},
    {"surface_particles", BW_FIELD_INTEGER, AT(surface_particles), NULL, FROM_TO(1, 6), 0,
     "of particle_levelset: along each axis of a cell near the surface", {4}},
    {"elastic", BW_FIELD_GROUP, AT(elastic), NULL, ANY, 0, "bounces and wobbles", .group = &elastic},
    {"melt", BW_FIELD_GROUP, AT(melt), NULL, ANY, 0, "viscosity from temperature", .group = &melt},
    {"spray", BW_FIELD_GROUP, AT(spray), NULL, ANY, 0, "of method \"height\": drops that a fast surface throws; a number alone is its speed", .group = &spray},
    {"foam", BW_FIELD_GROUP, AT(foam), NULL, ANY, 0, "where spray falls back; a number alone is its life", .group = &foam},
};
#undef DEF

#define DEF BwFuelDef
#define OF_FUEL(name, unit, range, meaning)                                                                  \
    {#name, BW_FIELD_NUMBER, AT(name), unit, range, BW_NAN_UNSET, meaning, {NAN}, .text = "as the fuel of that name has it"}
static const BwSceneField fuel_fields[] = {
    {"name", BW_FIELD_CHOICE, AT(name), NULL, ANY, 0, "a gas whose numbers are known", {BW_FUEL_PROPANE},
     .names = &fuel_names},
    OF_FUEL(ignition, "K", ABOVE_ZERO, "at and above which it burns"),
    OF_FUEL(temperature_max, "K", ABOVE_ZERO, "of what has just burnt"),
    OF_FUEL(soot, "1", NOT_NEGATIVE, "density of smoke that unit fuel leaves"),
    OF_FUEL(flame_speed, "m/s", ABOVE_ZERO, "of the thin flame relative to the fuel"),
    OF_FUEL(density, "kg/m^3", ABOVE_ZERO, "before it burns, of the thin flame"),
    OF_FUEL(density_products, "kg/m^3", ABOVE_ZERO, "behind the thin flame"),
    OF_FUEL(blue, "1", NOT_NEGATIVE, "light of the thin flame's front for what burns there, beside propane's"),
};
static const BwConstructor fuel = {
    "fuel", BW_USE_GROUP, fuel_fields, COUNT(fuel_fields), sizeof(DEF), .first_alone = true,
    .rule = bw_rule_fuel, .meaning = "what burns"};
#undef DEF

#define DEF BwFireDef
#define OF_GAS(field) AT(smoke.field)
static const BwSceneField fire_fields[] = {
    {"model", BW_FIELD_CHOICE, AT(model), NULL, ANY, 0, "a thin flame between fuel and products, or fuel that burns where it is",
     {BW_FIRE_THIN}, .names = &fire_names},
    {"fuel", BW_FIELD_GROUP, AT(fuel), NULL, ANY, 0, "a name, or a table with numbers", .group = &fuel},
    {"rise", BW_FIELD_NUMBER, AT(rise), "s", ABOVE_ZERO, 0,
     "thin: in which what burns gets as hot as fuel.temperature_max", {0.05}},
    {"quench", BW_FIELD_NUMBER, AT(quench), "s", NOT_NEGATIVE, 0,
     "thin: cold gas that comes nearer than products get in this time puts the flame out; 0: none does"},
    {"cooling", BW_FIELD_NUMBER, AT(cooling), "K/s", NOT_NEGATIVE, 0,
     "of gas as hot as fuel.temperature_max; it falls with the fourth power", {1500}},
    {"burn_rate", BW_FIELD_NUMBER, AT(burn_rate), "1/s", ABOVE_ZERO, 0, "simple: of fuel that is hot enough", {4}},
    {"fade", BW_FIELD_NUMBER, AT(fade), "1/s", NOT_NEGATIVE, 0, "simple: at which glowing soot burns up", {3}},
    {"expansion", BW_FIELD_NUMBER, AT(expansion), "1", SHARE, 0,
     "simple: 1 expands as an ideal gas does when heated, 0 not at all", {1}},
    AMBIENT(OF_GAS),
    BUOYANCY(OF_GAS, "2 gravity / (ambient + fuel.temperature_max)"),
    {"confinement", BW_FIELD_NUMBER, OF_GAS(confinement), "1/s", NOT_NEGATIVE, 0, "vorticity put back"},
    DISSIPATION(OF_GAS),
    GAS(OF_GAS),
};
#undef DEF

#define DEF BwWavesDef
static const BwSceneField waves_fields[] = {
    {"method", BW_FIELD_CHOICE, AT(method), NULL, ANY, 0, "a sum of known waves, or an equation",
     {BW_WAVES_EQUATION}, .names = &waves_names},
    {"depth", BW_FIELD_NUMBER, AT(depth), "m", ABOVE_ZERO, 0, "of still water", {1}},
    {"speed", BW_FIELD_NUMBER, AT(speed), "m/s", ABOVE_ZERO, BW_ZERO_UNSET, "of waves",
     .text = "sqrt(gravity * depth)"},
    {"damping", BW_FIELD_NUMBER, AT(damping), "1/s", NOT_NEGATIVE, 0, "rate at which waves fade"},
    {"amplitude", BW_FIELD_NUMBER, AT(amplitude), "m", NOT_NEGATIVE, 0, "of a sum", {0.1}},
    {"wavelength", BW_FIELD_NUMBER, AT(wavelength), "m", ABOVE_ZERO, 0, "longest of a sum", {10}},
};
#undef DEF

#define DEF BwSphDef
static const BwSceneField sph_fields[] = {
    {"method", BW_FIELD_CHOICE, AT(method), NULL, ANY, 0, "how pressure is found", {BW_SPH_DIVERGENCE_FREE},
     .names = &sph_names},
    {"radius", BW_FIELD_NUMBER, AT(radius), "m", ABOVE_ZERO, BW_ZERO_UNSET, "of a particle",
     .text = "a quarter of a cell"},
    {"density", BW_FIELD_NUMBER, AT(density), "kg/m^3", ABOVE_ZERO, 0, "at rest", {1000}},
    {"stiffness", BW_FIELD_NUMBER, AT(stiffness), "m^2/s^2", ABOVE_ZERO, 0, "of the plain method", {100}},
    {"viscosity", BW_FIELD_NUMBER, AT(viscosity), "m^2/s", NOT_NEGATIVE, 0, "kinematic", {1e-3}},
    {"surface_tension", BW_FIELD_NUMBER, AT(surface_tension), "N/m", NOT_NEGATIVE, 0, "water has 0.072"},
};
#undef DEF

#define DEF BwStableDef
static const BwSceneField stable_fields[] = {
    {"viscosity", BW_FIELD_NUMBER, AT(viscosity), "m^2/s", NOT_NEGATIVE, 0, "of the velocity"},
    {"diffusion", BW_FIELD_NUMBER, AT(diffusion), "m^2/s", NOT_NEGATIVE, 0, "of the density"},
    {"sweeps", BW_FIELD_INTEGER, AT(sweeps), NULL, FROM_TO(1, 10000), 0, "of relaxation", {20}},
    {"number", BW_FIELD_CHOICE, AT(number), NULL, ANY, 0, "arithmetic", {BW_NUMBER_FLOAT},
     .names = &number_names},
    {"solver", BW_FIELD_CHOICE, AT(solver), NULL, ANY, 0, "of the linear systems", {BW_STABLE_RELAXATION},
     .names = &stable_names},
    {"confinement", BW_FIELD_NUMBER, AT(confinement), "1/s", NOT_NEGATIVE, 0, "vorticity put back"},
};
#undef DEF

#define DEF BwRecordedDef
static const BwSceneField recorded_fields[] = {
    {"run", BW_FIELD_TEXT, AT(run), NULL, ANY, 0, "folder of the recorded run; needed when it is the fluid"},
};
#undef DEF

#define DEF BwSurfaceControlDef
static const BwSceneField surface_control_fields[] = {
    {"kind", BW_FIELD_CHOICE, AT(kind), NULL, ANY, 0, "what the surface is driven to", {BW_CONTROL_WIND},
     .names = &control_names},
    {"shape", BW_FIELD_SHAPE, AT(shape), NULL, ANY, 0, "where it acts", .text = "everywhere"},
    {"velocity", BW_FIELD_VECTOR_CURVE, AT(velocity), "m/s", ANY, BW_IN_PLANE, "of a wind"},
    {"strength", BW_FIELD_CURVE, AT(strength), "m/s", NOT_NEGATIVE, 0, "of churn, root mean square"},
    {"scale", BW_FIELD_NUMBER, AT(scale), "m", ABOVE_ZERO, 0, "size of the swirls of churn", {0.2}},
    {"speed", BW_FIELD_NUMBER, AT(speed), "1/s", NOT_NEGATIVE, 0, "how often churn changes", {1}},
    {"blend", BW_FIELD_CURVE, AT(blend), "1", SHARE, BW_DEFAULTED,
     "of level sets: share of it in the air's velocity above the surface", {0}},
    {"drag", BW_FIELD_CURVE, AT(drag), "m/s", NOT_NEGATIVE, BW_DEFAULTED,
     "of the air on the liquid: momentum a second, m^2, density and m/s of difference", {0.05}},
    START_STOP,
};
#undef DEF

#define DEF BwSurfacePressureDef
static const BwSceneField surface_pressure_fields[] = {
    {"shape", BW_FIELD_SHAPE, AT(shape), NULL, ANY, 0, "where it acts", .text = "everywhere"},
    {"pressure", BW_FIELD_PLACE_CURVE, AT(pressure), "Pa", ANY, BW_REQUIRED,
     "on the surface, above that of still air; with a wavelength its amplitude"},
    {"direction", BW_FIELD_VECTOR, AT(direction), "1", ANY, BW_DIRECTION | BW_IN_PLANE, "that a wavelength lies along",
     {1, 0, 0}},
    {"wavelength", BW_FIELD_NUMBER, AT(wavelength), "m", ABOVE_ZERO, BW_ZERO_UNSET,
     "pressure cos(2 pi (x - speed t) / wavelength), x along direction", .text = "even"},
    {"speed", BW_FIELD_NUMBER, AT(speed), "m/s", ANY, 0, "that the wave of pressure travels at"},
    START_STOP,
};
#undef DEF

#define DEF BwSolverDef
static const BwSceneField solver_fields[] = {
    {"pressure", BW_FIELD_CHOICE, AT(pressure), NULL, ANY, 0, "method", {BW_PRESSURE_MULTIGRID},
     .names = &pressure_names},
    {"tolerance", BW_FIELD_NUMBER, AT(tolerance), "1", ABOVE_TO(0, 1), 0, "relative true residual to reach",
     {1e-5}},
    {"divergence_max", BW_FIELD_NUMBER, AT(divergence_max), "1/s", ABOVE_ZERO, BW_ZERO_UNSET,
     "most left in any cell", .text = "no bound"},
    {"iterations_max", BW_FIELD_INTEGER, AT(iterations_max), NULL, FROM_TO(1, 1000000), 0,
     "then it stops short", {200}},
    {"relaxation", BW_FIELD_NUMBER, AT(relaxation), "1", FROM_TO(1, 2), 0, "over-relaxation, of that method",
     {1.7}},
};
#undef DEF

#define FIELDS(list) list##_fields, COUNT(list##_fields)
#define SINGLE(word, type, ...)                                                                              \
    {#word, BW_USE_SINGLE, FIELDS(word), sizeof(type), offsetof(BwSceneDef, word), __VA_ARGS__}
#define LIST(word, type, array, count, ...)                                                                  \
    {#word, BW_USE_LIST, FIELDS(word), sizeof(type), offsetof(BwSceneDef, array),                            \
     offsetof(BwSceneDef, count), __VA_ARGS__}
#define SHAPE(name, kind, list, ...)                                                                         \
    {name, BW_USE_SHAPE, FIELDS(list), sizeof(BwShape), .shape = BW_SHAPE_##kind, __VA_ARGS__}

const BwConstructor bw_constructors[] = {
    {"scene", BW_USE_SINGLE, FIELDS(scene), sizeof(BwSceneDef), 0, .conflicts = scene_conflicts,
     .rule = bw_rule_scene, .meaning = "what flows, how fine, how long"},
    SINGLE(walls, BwWallsDef, .rule = bw_rule_walls,
     .meaning = "the box the fluid is in; without: unbounded"),
    LIST(fill, BwFillDef, fills, fill_count, .rule = bw_rule_fill, .meaning = "what is there at the start"),
    SINGLE(initial, BwInitialDef, .meaning = "functions of x, y, z for the start"),
    SINGLE(flow, BwGivenFlowDef, .meaning = "a velocity that the fluid is given; nothing is solved for"),
    LIST(emitter, BwEmitterDef, emitters, emitter_count, .conflicts = emitter_conflicts,
     .rule = bw_rule_emitter, .meaning = "gives fluid, heat or speed"),
    LIST(sink, BwSinkDef, sinks, sink_count, .meaning = "takes fluid away"),
    LIST(pump, BwPumpDef, pumps, pump_count, .meaning = "drives fluid, gives none"),
    LIST(obstacle, BwObstacleDef, obstacles, obstacle_count,
     .meaning = "a solid that stands or moves as told"),
    LIST(body, BwBodyDef, bodies, body_count, .conflicts = body_conflicts,
     .meaning = "a solid that a liquid moves; it rides, and does not push back"),
    LIST(force, BwForceDef, forces, force_count, .rule = bw_rule_force, .meaning = "pushes the fluid"),
    LIST(charge, BwChargeDef, charges, charge_count, .conflicts = charge_conflicts, .rule = bw_rule_charge,
     .meaning = "an explosion: gas that expands"),
    SINGLE(smoke, BwSmokeDef, .meaning = "parameters of smoke"),
    SINGLE(liquid, BwLiquidDef, .rule = bw_rule_liquid, .meaning = "parameters of liquids"),
    SINGLE(fire, BwFireDef, .rule = bw_rule_fire, .meaning = "parameters of fire"),
    SINGLE(waves, BwWavesDef, .meaning = "parameters of waves"),
    SINGLE(sph, BwSphDef, .meaning = "parameters of particle liquids"),
    SINGLE(stable, BwStableDef, .meaning = "parameters of the small stable solver"),
    SINGLE(recorded, BwRecordedDef, .meaning = "a run computed before, as the fluid"),
    LIST(surface_control, BwSurfaceControlDef, surface_controls, surface_control_count,
     .rule = bw_rule_surface_control, .meaning = "wind over a liquid's surface; calms or churns it"),
    LIST(surface_pressure, BwSurfacePressureDef, surface_pressures, surface_pressure_count,
     .rule = bw_rule_surface_pressure, .meaning = "a pressure of the air on a liquid's surface"),
    SINGLE(solver, BwSolverDef, .rule = bw_rule_solver, .meaning = "the pressure solve"),
    SINGLE(camera, BwCameraDef, .meaning = "the view"),
    LIST(light, BwLightDef, lights, light_count, .meaning = "a light far away"),
    SINGLE(look, BwLookDef, .meaning = "colours and light of pictures"),
    SINGLE(output, BwOutputDef, .rule = bw_rule_output, .meaning = "what is written"),
    SHAPE("sphere", SPHERE, sphere, .meaning = "a ball; in 2-D a circle"),
    SHAPE("box", BOX, box, .rule = bw_rule_box,
     .meaning = "an upright box; in 2-D two corners of two numbers"),
    SHAPE("cylinder", CYLINDER, from_to, .rule = bw_rule_from_to, .meaning = "a rod with flat ends"),
    SHAPE("capsule", CAPSULE, from_to, .rule = bw_rule_from_to, .meaning = "a rod with round ends"),
    SHAPE("plane", PLANE, plane, .meaning = "half of space"),
    SHAPE("torus", TORUS, torus, .rule = bw_rule_torus, .meaning = "a ring"),
    SHAPE("cone", CONE, cone, .rule = bw_rule_from_to, .meaning = "a pointed cone"),
    SHAPE("disc", DISC, disc, .meaning = "a flat disc, for emitters with a velocity"),
    SHAPE("rectangle", RECTANGLE, rectangle, .meaning = "a flat rectangle, for emitters with a velocity"),
    SHAPE("mesh", MESH, mesh, .meaning = "triangles from a file"),
    SHAPE("heightmap", HEIGHTMAP, heightmap, .meaning = "ground from a grey picture"),
    SHAPE("voxels", VOXELS, voxels, .meaning = "cubes drawn in a text file, or a volume (NRRD)"),
    SHAPE("wrapped", WRAPPED, wrapped, .meaning = "a surface wrapped around points from a file"),
    SHAPE("points", POINTS, points, .meaning = "balls about points from a file"),
    SHAPE("union", UNION, combined, .meaning = "inside any of them"),
    SHAPE("intersection", INTERSECTION, combined, .meaning = "inside all of them"),
    SHAPE("difference", DIFFERENCE, combined, .meaning = "inside the first and none of the rest"),
    SHAPE("translate", TRANSLATE, translate, .meaning = "a shape moved"),
    SHAPE("rotate", ROTATE, rotate, .meaning = "a shape turned about the origin"),
    SHAPE("scale", SCALE, scale, .meaning = "a shape made larger or smaller"),
};
// clang-format on

const int bw_constructor_count = COUNT(bw_constructors);

const BwConstructor *bw_constructor_find(const char *name)
{
    for (int n = 0; n < bw_constructor_count; n++)
        if (strcmp(bw_constructors[n].name, name) == 0)
            return &bw_constructors[n];
    return NULL;
}

const BwConstructor *bw_constructor_of_shape(BwShapeKind kind)
{
    for (int n = 0; n < bw_constructor_count; n++)
        if (bw_constructors[n].use == BW_USE_SHAPE && bw_constructors[n].shape == kind)
            return &bw_constructors[n];
    return NULL;
}

const BwSceneField *bw_field_find(const BwConstructor *constructor, const char *name)
{
    for (int n = 0; n < constructor->field_count; n++)
        if (strcmp(constructor->fields[n].name, name) == 0)
            return &constructor->fields[n];
    return NULL;
}

int bw_instance_count(const BwSceneDef *def, const BwConstructor *constructor)
{
    if (constructor->use == BW_USE_LIST)
        return *(const int *)((const char *)def + constructor->count_offset);
    if (constructor->offset == offsetof(BwSceneDef, walls))
        return def->has_walls;
    return constructor->use == BW_USE_SINGLE;
}

const void *bw_instance_at(const BwSceneDef *def, const BwConstructor *constructor, int index)
{
    const char *at = (const char *)def + constructor->offset;
    if (constructor->use != BW_USE_LIST)
        return at;
    const char *array;
    memcpy(&array, at, sizeof array);
    return array + (size_t)index * constructor->size;
}
