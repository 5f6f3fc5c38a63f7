/// A scene: everything that is told about a simulation before it starts. A list of plain Defs, filled by a
/// scene script (`bw_scene_load`) or by a C caller; defaults and checks are the same for both. SI units
/// throughout, y is up.
/// ```c
/// BwSceneDef scene = bw_scene_def_default();
/// scene.cell = 0.05f; // m
/// BwEmitterDef emitter = bw_emitter_def_default();
/// emitter.shape = bw_sphere(bw_vec3(0.0f, 0.2f, 0.0f), 0.15f);
/// emitter.density = bw_curve_number(1.0f);
/// emitter.temperature = bw_curve_number(400.0f);
/// scene.emitters = &emitter;
/// scene.emitter_count = 1;
/// BwError err;
/// if (bw_scene_def_check(&scene, &err) != BW_OK)
///     puts(err.message);
/// ```
#pragma once

#include <billow/base.h>
#include <billow/curve.h>
#include <billow/shape.h>
#include <billow/stable.h>
#include <billow/surface.h>
#include <billow/vec.h>

#ifdef __cplusplus
extern "C" {
#endif

/// Fluids a scene may ask for, with the name it uses.
#define BW_FLUIDS(X)                                                                                         \
    X(SMOKE, "smoke")                                                                                        \
    X(LIQUID, "liquid")                                                                                      \
    X(FIRE, "fire")                                                                                          \
    X(WAVES, "waves")                                                                                        \
    X(SPH, "sph")                                                                                            \
    X(STABLE, "stable")                                                                                      \
    X(RECORDED, "recorded")

typedef enum BwFluid {
#define X(name, text) BW_FLUID_##name,
    BW_FLUIDS(X)
#undef X
} BwFluid;

/// The six sides of a walled box, in the order of axes.
typedef enum BwSide { BW_LEFT, BW_RIGHT, BW_BOTTOM, BW_TOP, BW_BACK, BW_FRONT, BW_SIDE_COUNT } BwSide;

typedef enum BwWallKind { BW_WALL_CLOSED, BW_WALL_OPEN, BW_WALL_INFLOW, BW_WALL_OUTFLOW } BwWallKind;

/// One side of the box, or a part of it (a vent, a drain).
typedef struct BwWallSideDef {
    BwWallKind kind;     // default closed
    BwCurve kind_curve;  // the kind over time as its number, when it changes; else not given
    BwCurve velocity;    // m/s: of the moving lid, or of the inflow
    BwCurve temperature; // K: of a heated wall or of what flows in; not given: insulated
    float color[3];      // 0 to 1, of the liquid that flows in; default white: as look.water_color
    BwCurve slip;        // 1: 1 slides freely, 0 sticks; not given: walls.slip
    BwShape part; // only where this shape meets the side is it so, the rest is a closed wall; kind NONE: all
                  // of it
} BwWallSideDef;

typedef struct BwWallsDef {
    BwVec3 min, max;                   // m; grown outwards to whole cells
    BwWallSideDef side[BW_SIDE_COUNT]; // default closed
    float slip;                        // 1, default 1: free slip
    bool periodic[3];                  // per axis; then its length is grown to whole tiles of eight cells
} BwWallsDef;

/// What is there at the start.
typedef struct BwFillDef {
    BwShape shape;
    BwVec3 velocity;   // m/s, default 0
    float density;     // 1, of the smoke, default 1
    float temperature; // K, default ambient (NaN in the Def)
    float fuel;        // 1, fire: share of the gas that is fuel, default 0
    float viscosity;   // m^2/s, of a liquid, default liquid.viscosity (NaN in the Def)
    float color[3];    // 0 to 1: of smoke a factor on its albedo, of liquids their tint; default white, which
                       // liquids have as look.water_color
} BwFillDef;

/// A function of position, called once for each sample at the start. Pure, one thread at a time.
typedef BwResult BwPlaceFn(void *user, BwVec3 point, float value[4], BwError *err);

typedef struct BwPlaceCurve {
    BwPlaceFn *function; // NULL: not given
    void *user;
} BwPlaceCurve;

typedef struct BwInitialDef {
    BwPlaceCurve velocity;    // m/s
    BwPlaceCurve density;     // 1
    BwPlaceCurve temperature; // K
} BwInitialDef;

/// A velocity that the fluid is given, instead of one that its forces and its pressure make: what it carries
/// moves along it. Steps use the velocity of their middle.
typedef struct BwGivenFlowDef {
    BwCurve velocity; // m/s; a function may be one of place too; not given: the fluid moves by itself
} BwGivenFlowDef;

typedef enum BwEmitterKind { BW_EMIT_REGION, BW_EMIT_BLOB, BW_EMIT_SPOUT } BwEmitterKind;

/// Texture of an emitter: multiplies what it emits by 1 + amplitude * noise(position / size, t * speed), not
/// below zero.
typedef struct BwNoiseDef {
    float amplitude; // 1, default 0: none
    float size;      // m, default 0.1
    float speed;     // 1/s, default 1
} BwNoiseDef;

typedef struct BwEmitterDef {
    BwShape shape;
    BwEmitterKind kind;
    BwCurve velocity;     // m/s; not given: the fluid keeps its own
    BwCurve density;      // 1, held inside the shape
    BwCurve density_rate; // 1/s, added inside the shape
    BwCurve temperature;  // K, held inside the shape; not given: not touched
    BwCurve fuel;         // 1, fire: share of the gas that is fuel, held inside the shape
    BwCurve flow;         // m^3/s, liquids
    BwCurve viscosity;    // m^2/s, of the liquid that it gives; not given: liquid.viscosity
    BwCurve offset;       // m, by which its shape is moved: a nozzle of liquid; not given: it stands still
    float spread;         // rad, half angle of a spout, default 0
    float falloff;        // m, width of a soft edge, half of it inside; default 0: sharp
    BwNoiseDef noise;
    float color[3]; // 0 to 1, as of fills
    double start;   // s, default 0; infinity: never, a spare that a program may switch on (billow/live.h)
    double stop;    // s, default infinity
} BwEmitterDef;

typedef struct BwSinkDef {
    BwShape shape;
    BwCurve flow;       // m^3/s, liquids: what it draws out of the liquid in it; not given: all that gets in
    double start, stop; // s, default 0 and infinity
} BwSinkDef;

typedef struct BwPumpDef {
    BwShape shape;
    BwCurve velocity;   // m/s, required
    double start, stop; // s, default 0 and infinity
} BwPumpDef;

/// How a solid moves: a place or a speed, a turn or a spin. Not given: it stands still at the origin of its
/// shape.
typedef struct BwMotionDef {
    BwCurve position; // m
    BwCurve velocity; // m/s, instead of position
    BwCurve rotation; // axis times angle in rad
    BwCurve spin;     // rad/s about the axis, instead of rotation
} BwMotionDef;

/// What a solid that burns is made of. Where its surface is hot enough it recedes at `rate`, S, and turns to
/// gas that leaves it at (density / fire.fuel.density - 1) S (Nguyen, Fedkiw and Jensen 2002).
typedef struct BwSolidFuelDef {
    BwCurve rate;    // m/s, of place and time, in the obstacle's own coordinates; default 0.002
    float density;   // kg/m^3, default 500
    float thickness; // m, of what burns, from the surface inwards; default 0.02
    float ignition;  // K, from which on it gives off gas; default fire.fuel's (NaN in the Def)
    float heating;   // 1/s, at which its surface takes on the temperature beside it; default 2
    float spread;    // m/s, of fire that creeps along it, besides what hot gas does; default 0.02
    BwShape lit;     // where it is alight at the start, in its own coordinates; kind NONE: nowhere
} BwSolidFuelDef;

typedef struct BwObstacleDef {
    BwShape shape;
    BwMotionDef motion;
    BwCurve temperature;        // K; not given: insulated
    BwCurve slip;               // 1; not given: walls.slip, or 1
    const BwEmitterDef *emit;   // what its surface emits, or NULL; its shape is ignored
    const BwSolidFuelDef *fuel; // fire: what of it burns, or NULL
    float color[3];             // 0 to 1, of the picture
    bool is_glass;              // drawn as clear glass, which the colour tints; default false
} BwObstacleDef;

/// A solid that a liquid moves, and that does not push back: it rides (Foster and Metaxas 1996, section 5).
typedef struct BwBodyDef {
    BwShape shape;
    float mass;             // kg; 0: from material_density
    float material_density; // kg/m^3, default 500
    BwVec3 position;        // m
    BwVec3 velocity;        // m/s
    BwVec3 rotation;        // axis times angle, rad
    BwVec3 spin;            // rad/s
    float damping;          // 1/s, at which what of it is wet takes on the velocity of the flow; default 1
    float color[3];
} BwBodyDef;

typedef enum BwForceField {
    BW_FORCE_UNIFORM,
    BW_FORCE_POINT,
    BW_FORCE_VORTEX,
    BW_FORCE_DRAG,
    BW_FORCE_TURBULENCE, // noise without divergence, by the scene's seed
} BwForceField;

typedef struct BwForceDef {
    BwShape shape;        // kind NONE: everywhere
    BwForceField field;   // default uniform
    BwCurve acceleration; // m/s^2, uniform
    BwCurve center;       // m, point and vortex
    BwCurve axis;         // vortex; not given: y, in 2-D z
    BwCurve strength; // point: m/s^2 at `radius` away, positive pushes outwards; vortex: m/s^2 round the axis
                      // at `radius`; drag: 1/s; turbulence: m/s^2, root mean square of the vector
    float radius;     // m, default 0.5
    float scale;      // m, turbulence: size of its swirls, default 0.2
    float speed;      // 1/s, turbulence: how often they change, default 1
    double start, stop; // s, default 0 and infinity; as of emitters
} BwForceDef;

/// An explosion: gas that expands inside a shape, by a volume, or by that which an energy makes of an ideal
/// gas at the pressure of the air, (gamma - 1) E / (gamma p) with gamma = 1.4 and p = 101325 Pa.
typedef struct BwChargeDef {
    BwShape shape;
    float energy;       // J; 0: volume is given
    float volume;       // m^3, that the gas gains; 0: energy is given
    double start, stop; // s, between which it is released at an even rate; default 0 and 0.05
} BwChargeDef;

typedef enum BwAdvection {
    BW_ADVECT_SEMI_LAGRANGIAN,
    BW_ADVECT_CUBIC,
    BW_ADVECT_MACCORMACK,
    BW_ADVECT_REFLECTION,
} BwAdvection;

typedef struct BwSmokeDef {
    float ambient;         // K, default 293.15
    float buoyancy_heat;   // m/(s^2 K), beta; default NaN: gravity / ambient, of fire less (docs/fire.md)
    float buoyancy_weight; // m/s^2 per unit density, alpha; default 0.1
    float confinement;     // 1/s, epsilon; default 0
    float dissipation;     // 1/s, default 0
    float cooling;         // 1/s, default 0
    BwCurve wind;          // m/s, default 0
    float wind_rate;       // 1/s, default 1
    float viscosity;       // m^2/s, default 0
    float conductivity;    // m^2/s, default 0
    float subgrid;         // 1, friction at the scale of the grid, operate/subgrid.h; 0: none; default 0.32
    BwAdvection advection; // default maccormack
    float envelope;        // m of air solved around the smoke, at least three cells; default 0: three cells
    float threshold;       // 1, density below which there is no smoke; default 1e-3
} BwSmokeDef;

typedef enum BwLiquidMethod {
    BW_LIQUID_APIC,
    BW_LIQUID_FLIP,
    BW_LIQUID_MARKERS,
    BW_LIQUID_LEVELSET,
    BW_LIQUID_PARTICLE_LEVELSET,
    BW_LIQUID_CHAIN,
    BW_LIQUID_HEIGHT,
} BwLiquidMethod;

/// How a liquid's viscosity is solved: all of the stress, with a surface that is free of it; or each
/// component of the velocity for itself.
typedef enum BwViscosityScheme { BW_VISCOSITY_COUPLED, BW_VISCOSITY_COMPONENTS } BwViscosityScheme;

typedef enum BwLiquidScheme { BW_SCHEME_SPLIT, BW_SCHEME_EXPLICIT } BwLiquidScheme;

/// Where particles start inside their cell: anywhere in an equal share of it, or at the middle of that share.
typedef enum BwLiquidSeeding { BW_SEEDING_JITTERED, BW_SEEDING_LATTICE } BwLiquidSeeding;

typedef struct BwElasticDef {
    float modulus; // Pa, shear modulus; default 0: not elastic
    float yield;   // 1, norm of the strain above which it flows; default infinity
    float flow;    // 1/s, rate at which the strain above that fades; default 1
} BwElasticDef;

typedef struct BwMeltDef {
    float solid;           // K, at and below: viscosity_solid; default 300
    float liquid;          // K, at and above: liquid.viscosity; default 350
    float viscosity_solid; // m^2/s; default 0: does not melt
    float conductivity;    // m^2/s, default 1e-6
    float latent_heat;     // J/kg, that melting takes between `solid` and `liquid`; default 0
    float heat_transfer;   // W/(m^2 K), through the free surface to the air; default 0
} BwMeltDef;

/// How the surface of a level-set liquid is advected: along paths, as the velocity then is too; or by
/// differences, of first order, third (ENO) or fifth (WENO).
typedef enum BwSurfaceAdvection {
    BW_SURFACE_SEMI_LAGRANGIAN,
    BW_SURFACE_MACCORMACK,
    BW_SURFACE_UPWIND,
    BW_SURFACE_ENO,
    BW_SURFACE_WENO,
} BwSurfaceAdvection;

/// How a level set is made a distance again.
typedef enum BwRedistanceMethod {
    BW_REDISTANCE_MARCHING,
    BW_REDISTANCE_SWEEPING,
    BW_REDISTANCE_PDE,
} BwRedistanceMethod;

/// On which side of the surface the particles of particle_levelset are.
typedef enum BwCorrectionSide { BW_CORRECTION_BOTH, BW_CORRECTION_INSIDE } BwCorrectionSide;

/// What holds at outflows of the explicit scheme: the pressure of a column outside that lets waves leave; or,
/// as in Foster and Metaxas 1996, faces that follow the flow beside them.
typedef enum BwOutflowRule { BW_OUTFLOW_COLUMN, BW_OUTFLOW_FOLLOWS } BwOutflowRule;

/// Drops that a surface which rises fast throws into the air (Foster and Metaxas 1996, section 4.3).
typedef struct BwSprayDef {
    float speed;   // m/s, at which the surface has to rise; default 0: no spray
    float rate;    // 1/m^3, drops a second from a m^2, for each m/s beyond that; default 2000
    float radius;  // m, of the largest drops; default 0: a tenth of a cell
    float spread;  // rad, by which their way differs from the surface's, rms; default 0.2
    float breakup; // 1/s, chance of a drop to break in two; default 1
    float drag;    // 1/m, of the air on the largest drops; default 0.05
    BwCurve wind;  // m/s, of the air; default: at rest
    float life;    // s, that a drop lasts at most; default 10
    int count_max; // drops at a time; default 100000
} BwSprayDef;

/// Foam where spray falls back on the surface, which carries it along.
typedef struct BwFoamDef {
    float life;   // s, of what the largest drops leave, on average; default 0: no foam
    float spread; // 1, radius of a patch over that of its drop; default 2
} BwFoamDef;

typedef struct BwLiquidDef {
    BwLiquidMethod method; // default apic
    BwLiquidScheme scheme; // default split
    float donor_cell;      // 1, explicit: share of donor cells in advection; default NaN: as needed
    BwOutflowRule outflow; // explicit; default column
    float density;         // kg/m^3, default 1000
    BwCurve viscosity;     // m^2/s, default 0
    BwViscosityScheme viscosity_scheme; // default coupled
    float yield_stress;                 // Pa, below which it holds; default 0
    float shear_exponent;               // 1, stress goes as the rate of strain to this power; default 1
    float heat_capacity;                // J/(kg K), default 4186
    float surface_tension;              // N/m, default 0
    float contact_angle; // radians, of the surface at walls and obstacles, through the liquid; default pi / 2
    float confinement;   // 1/s, default 0
    float narrow_band;   // m of particles below the surface; default NaN: six cells; 0: everywhere
    float flip_ratio;    // 1, of flip: share of FLIP, the rest is PIC; default 0.97
    int particles_per_cell;  // per axis, 1 to 4, default 2
    BwLiquidSeeding seeding; // default jittered
    float volume_correction; // 0 to 1, share of the error of the particles' density that a step corrects;
                             // 0: none; default 0.5
    BwSurfaceAdvection advection;     // levelset, particle_levelset: of the surface; default weno
    BwRedistanceMethod redistance;    // of the same; default marching
    BwCorrectionSide correction_side; // particle_levelset; default both
    int surface_particles;            // particle_levelset: per axis of a cell near the surface; default 4
    BwElasticDef elastic;
    BwMeltDef melt;
    BwSprayDef spray; // height
    BwFoamDef foam;   // of spray
} BwLiquidDef;

/// Gases that burn, premixed with air, at 298 K and 1013 hPa; their numbers are in docs/fire.md.
#define BW_FUELS(X)                                                                                          \
    X(PROPANE, "propane")                                                                                    \
    X(METHANE, "methane")                                                                                    \
    X(HYDROGEN, "hydrogen")                                                                                  \
    X(WOOD_GAS, "wood_gas")                                                                                  \
    X(PETROL, "petrol")

typedef enum BwFuel {
#define X(name, text) BW_FUEL_##name,
    BW_FUELS(X)
#undef X
} BwFuel;

/// A fuel by its name and, where they differ from that one's, its numbers; NaN, the default: those of the
/// name.
typedef struct BwFuelDef {
    BwFuel name;            // default propane
    float ignition;         // K, at and above which it burns
    float temperature_max;  // K, of what has just burnt
    float soot;             // 1, density of smoke that unit fuel leaves
    float flame_speed;      // m/s, of the thin flame relative to the fuel
    float density;          // kg/m^3, of the thin flame's fuel
    float density_products; // kg/m^3, of what is behind the thin flame
    float blue;             // 1, light that the thin flame's front sends out, a kilogram that burns, beside
                            // propane's
} BwFuelDef;

typedef enum BwFireModel { BW_FIRE_THIN, BW_FIRE_SIMPLE } BwFireModel;

typedef struct BwFireDef {
    BwFireModel model; // default thin
    BwFuelDef fuel;
    float rise;    // s, thin: in which what burns gets as hot as it does; default 0.05
    float quench;  // s, thin: cold gas that comes nearer than products get in it puts the flame out; default
                   // 0: none does
    float cooling; // K/s, of gas as hot as the flame; falls with the fourth power; default 1500
    float burn_rate;  // 1/s, simple: of fuel that is hot enough; default 4
    float fade;       // 1/s, simple: at which glowing soot burns up; default 3
    float expansion;  // 1, simple: share of the heat that expands the gas, as an ideal one; default 1
    BwSmokeDef smoke; // of the gas; its cooling is not used
} BwFireDef;

typedef enum BwWavesMethod { BW_WAVES_SUM, BW_WAVES_SIMPLE, BW_WAVES_EQUATION } BwWavesMethod;

typedef struct BwWavesDef {
    BwWavesMethod method; // default equation
    float depth;          // m, default 1
    float speed;          // m/s, default 0: sqrt(gravity * depth)
    float damping;        // 1/s, default 0
    float amplitude;      // m, sums: height, default 0.1
    float wavelength;     // m, sums: longest, default 10
} BwWavesDef;

typedef enum BwSphMethod { BW_SPH_PLAIN, BW_SPH_DIVERGENCE_FREE } BwSphMethod;

typedef struct BwSphDef {
    BwSphMethod method;    // default divergence_free
    float radius;          // m, of a particle; default 0: a quarter of a cell
    float density;         // kg/m^3, default 1000
    float stiffness;       // m^2/s^2, plain, default 100
    float viscosity;       // m^2/s, default 1e-3
    float surface_tension; // N/m, default 0
} BwSphDef;

typedef struct BwStableDef {
    float viscosity;       // m^2/s, default 0
    float diffusion;       // m^2/s, default 0
    int sweeps;            // 1, default 20
    BwNumber number;       // default float
    BwStableSolver solver; // default relaxation
    float confinement;     // 1/s, default 0
} BwStableDef;

typedef struct BwRecordedDef {
    const char *run; // folder of the recorded run
} BwRecordedDef;

typedef enum BwSurfaceControlKind {
    BW_CONTROL_WIND,  // drives the surface to a velocity
    BW_CONTROL_CALM,  // to rest
    BW_CONTROL_CHURN, // to one that swirls and changes, by the scene's seed
} BwSurfaceControlKind;

/// Wind, calm or churn over a liquid's surface: the air takes a share of the wanted velocity (Fedkiw 2003)
/// and drags the liquid along.
typedef struct BwSurfaceControlDef {
    BwSurfaceControlKind kind; // default wind
    BwShape shape;             // kind NONE: everywhere
    BwCurve velocity;          // m/s, wind
    BwCurve strength;          // m/s, churn: root mean square
    float scale;               // m, churn: size of its swirls, default 0.2
    float speed;               // 1/s, churn: how often it changes, default 1
    BwCurve blend;             // 0 to 1, level sets: of the air's velocity above the surface, default 0
    BwCurve drag;              // m/s: momentum a second, m^2 and m/s that the liquid lacks; default 0.05
    double start, stop;        // s
} BwSurfaceControlDef;

/// A pressure of the air on the surface of a liquid, as wind has it (Foster and Metaxas 1996, section 7.2).
typedef struct BwSurfacePressureDef {
    BwShape shape;      // kind NONE: everywhere
    BwCurve pressure;   // Pa; a function may be one of place too; with a wavelength its amplitude
    BwVec3 direction;   // of travel, default x
    float wavelength;   // m, of a cosine from the origin on; 0: even
    float speed;        // m/s, of the cosine
    double start, stop; // s, default 0 and infinity
} BwSurfacePressureDef;

typedef enum BwPressureMethod {
    BW_PRESSURE_MULTIGRID,
    BW_PRESSURE_MICCG,
    BW_PRESSURE_CG,
    BW_PRESSURE_RELAXATION,
} BwPressureMethod;

typedef struct BwSolverDef {
    BwPressureMethod pressure; // default multigrid
    float tolerance;           // 1, relative true residual, default 1e-5
    float divergence_max;      // 1/s, default 0: no bound
    int iterations_max;        // default 200
    float relaxation;          // 1, factor of relaxation (Foster and Metaxas 1996), 1 to 2, default 1.7
} BwSolverDef;

typedef struct BwCameraDef {
    BwCurve position;    // m; not given: frames the scene by itself
    BwCurve target;      // m
    BwCurve up;          // default y
    float field_of_view; // rad, vertical, default 40 degrees
    float shutter;       // 1, share of the time between frames that it is open for, default 0
} BwCameraDef;

typedef struct BwLightDef {
    BwVec3 direction; // towards the light, default up and to the left
    float color[3];   // default white
    float intensity;  // 1, default 1
} BwLightDef;

/// How the water of liquids is drawn.
typedef enum BwWaterLook {
    BW_WATER_SURFACE,   // its surface, clear, and drops where particles are outside of it: its mesh, where
                        // Embree is there
    BW_WATER_PARTICLES, // its particles as balls, from blue to white by their speed
    BW_WATER_LEVELSET,  // its surface by the level set in any case
} BwWaterLook;

/// What water and glass mirror from above the horizon.
typedef enum BwSkyLook {
    BW_SKY_PLAIN,  // as bright in all directions
    BW_SKY_STUDIO, // a dim room with soft boxes above and aside, turned towards the first light
    BW_SKY_DAY,    // from the background's colour at the horizon to blue, with clouds; it is seen behind too
} BwSkyLook;

typedef struct BwLookDef {
    float smoke_color[3];    // 0 to 1, albedo, default .9; of fire that is dark soot, .2
    float absorption;        // 1/m per unit density; default 0: from the scene's size
    float background[3];     // 0 to 1, as it appears in the picture; default .17 .19 .22
    float ground[3];         // 0 to 1, as it appears in full light; default .30 .31 .33
    bool show_ground;        // default true
    bool show_walls;         // closed walls of the box as thin panes of glass; default false
    bool revolve;            // flat liquids within chains: turned about the y axis; default false
    BwSkyLook sky;           // default studio
    float ambient_light;     // 1, default 0.35
    float exposure_stops;    // default 0
    float fire_brightness;   // 1, luminance of soot at 1700 K beside a white card in full light; default 1.5
    float core_brightness;   // 1, of the blue front of burning propane, seen straight on; default 0.25
    float white_temperature; // K, of light that the eye is used to and sees as white; default 6500
    BwWaterLook water;       // default surface
    // Over a way s through water, exp(-water_absorption (1 - water_color) s) of each colour is left.
    float water_color[3];   // 0 to 1, default .18 .54 .84
    float water_absorption; // 1/m; default 0: from the scene's size, or the thickness of its coloured liquid
    float ripples;          // 1, mean slope of small waves on top of 3-D water, default 0
    float ripple_length;    // m, of the longest of them; default 0: two cells
} BwLookDef;

typedef enum BwUp { BW_UP_Y, BW_UP_Z } BwUp;

typedef enum BwCompression { BW_COMPRESS_ZIP, BW_COMPRESS_BLOSC, BW_COMPRESS_NONE } BwCompression;

typedef struct BwOutputDef {
    bool movie;                // default true
    bool images;               // default false
    bool vdb;                  // default false
    bool mesh;                 // the surface of liquids as PLY files; default false
    bool obj;                  // the same as OBJ files; default false
    bool gltf;                 // the same as glTF files; default false
    int mesh_resolution;       // cells of the mesh along a cell, 1 to 4, default 1
    BwMeshFrom mesh_from;      // default the level set
    int mesh_smoothing;        // rounds, 0 to 100, default 3
    bool particles;            // as VTK polygons; default false
    bool particles_ply;        // as PLY files; default false
    bool vtk;                  // default false
    bool vtk_faces;            // VTK files also hold the velocity on the faces of cells; default false
    bool pressure;             // frames, volumes and checkpoints hold the pressure; default false
    bool record;               // liquids: all frames are kept, as BW_FLUID_RECORDED needs them; default false
    bool age, source;          // liquids: particles carry when they came and what gave them; default false
    BwUp up;                   // of exported files, default y
    bool half;                 // OpenVDB files keep 16 bits a number, default false
    BwCompression compression; // of OpenVDB files, default zip
    int checkpoint_every;      // frames, default 1; 0: none
    bool compress;             // checkpoints: smaller and slower; default false
    bool keep_checkpoints;     // all of them, not only the last two; default false
    float keep_frames;         // MB of frames for later pictures, at most; default 2000
    int width, height;         // pixels, default 1280 x 720
} BwOutputDef;

/// The whole scene. Arrays belong to whoever filled the Def; a world copies them.
typedef struct BwSceneDef {
    uint32_t cookie;   // set by bw_scene_def_default
    const char *title; // default "untitled"
    BwFluid fluid;     // default smoke
    float cell;        // m, side of a cell; required
    int dimension;     // 2 or 3, default 3
    int frames;        // default 0: from duration; neither: 120
    double duration;   // s, instead of frames
    double fps;        // 1/s, default 24
    float cfl;         // cells crossed in a step at most, default 2
    double dt_min;     // s, default 0
    double dt_max;     // s, default infinity
    int steps;         // fixed number per frame; default 0: as cfl asks
    int steps_max;     // most per frame, default 100
    BwCurve gravity;   // m/s^2, default (0, -9.81, 0)
    uint64_t seed;     // default 1

    bool has_walls;
    BwWallsDef walls;
    BwInitialDef initial;
    BwGivenFlowDef flow;
    const BwFillDef *fills;
    const BwEmitterDef *emitters;
    const BwSinkDef *sinks;
    const BwPumpDef *pumps;
    const BwObstacleDef *obstacles;
    const BwBodyDef *bodies;
    const BwForceDef *forces;
    const BwChargeDef *charges;
    const BwSurfaceControlDef *surface_controls;
    const BwSurfacePressureDef *surface_pressures;
    const BwLightDef *lights;
    int fill_count, emitter_count, sink_count, pump_count, obstacle_count, body_count, force_count;
    int charge_count;
    int surface_control_count, surface_pressure_count, light_count;

    BwSmokeDef smoke;
    BwLiquidDef liquid;
    BwFireDef fire;
    BwWavesDef waves;
    BwSphDef sph;
    BwStableDef stable;
    BwRecordedDef recorded;
    BwSolverDef solver;
    BwCameraDef camera;
    BwLookDef look;
    BwOutputDef output;
} BwSceneDef;

/// A scene with every default filled in; `cell` and what happens in it are left to the caller.
BW_API BwSceneDef bw_scene_def_default(void);
BW_API BwWallsDef bw_walls_def_default(void);
BW_API BwFillDef bw_fill_def_default(void);
BW_API BwEmitterDef bw_emitter_def_default(void);
BW_API BwSinkDef bw_sink_def_default(void);
BW_API BwPumpDef bw_pump_def_default(void);
BW_API BwObstacleDef bw_obstacle_def_default(void);
BW_API BwSolidFuelDef bw_solid_fuel_def_default(void);
BW_API BwBodyDef bw_body_def_default(void);
BW_API BwForceDef bw_force_def_default(void);
BW_API BwChargeDef bw_charge_def_default(void);
BW_API BwSurfaceControlDef bw_surface_control_def_default(void);
BW_API BwSurfacePressureDef bw_surface_pressure_def_default(void);
BW_API BwLightDef bw_light_def_default(void);

/// Checks every field of every Def, their conflicts, and functions of time over the whole duration. The
/// message names the constructor and the field.
BW_API BwResult bw_scene_def_check(const BwSceneDef *def, BwError *err);

/// Says whether this version can run a scene that is valid: fails when it asks for something that does not
/// exist yet (a fluid, a shape, a field, a kind of output), and says what.
BW_API BwResult bw_scene_def_check_runnable(const BwSceneDef *def, BwError *err);

/// Frames to make: `frames`, or what `duration` asks for.
BW_API int bw_scene_def_frame_count(const BwSceneDef *def);

/// A scene script that has been run: its Defs, and the sandbox that its functions of time live in.
typedef struct BwScene BwScene;

/// One `--set name=value`.
typedef struct BwSetting {
    const char *name, *value;
} BwSetting;

typedef struct BwSceneLoad {
    BwAllocator allocator; // zero: malloc and free
    BwLog log;             // where the script's print and warnings about its files go; zero: nowhere
    BwWatch watch;         // of the load, while its shapes' files are read; zero: nobody
    const BwSetting *settings;
    int setting_count;
    const char *folder; // where the files are that its shapes name; NULL: the scene file's own folder
} BwSceneLoad;

/// Runs a scene script in the sandbox, fills its Defs and checks them. `load` may be NULL. Fails with file,
/// line, constructor and field in the message. It may be destroyed before the worlds made from it: they keep
/// what they need of it, and its allocator must serve them. Worlds that share functions of one script may not
/// be stepped by two threads at once.
BW_API BwResult bw_scene_load(BwScene **scene, const char *path, const BwSceneLoad *load, BwError *err);

/// The same for a script in memory; `name` stands for the file in messages. Its shapes may name files only
/// when `load` has a folder.
BW_API BwResult bw_scene_load_text(BwScene **scene, const char *text, size_t length, const char *name,
                                   const BwSceneLoad *load, BwError *err);

BW_API void bw_scene_destroy(BwScene *scene);

/// A `param(name, default)` of a script, with values as text.
typedef struct BwParam {
    const char *name, *value, *default_value;
} BwParam;

/// The script's params in order of their first call; they live as long as the scene.
BW_API const BwParam *bw_scene_view_params(const BwScene *scene, int *count);

/// A file that shapes of the scene name, and what was read from it.
typedef struct BwSceneFile {
    const char *path; // as the scene has it
    const BwShapeFile *content;
} BwSceneFile;

/// The files of the scene's shapes in the order they were read; a file that is read in two ways is there
/// twice. They live as long as the scene.
BW_API const BwSceneFile *bw_scene_view_files(const BwScene *scene, int *count);

/// The Defs of the scene; they live as long as it does.
BW_API const BwSceneDef *bw_scene_view_def(const BwScene *scene);

#ifdef __cplusplus
}
#endif
