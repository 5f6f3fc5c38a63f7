// What every fluid on the grid shares: the tiles that are awake, the box and the solids in it, and a
// staggered velocity that is advected, driven, diffused and projected. A fluid's recipe (src/solvers) holds
// one BwFlow beside fields of its own, and calls the stages below in its own order.
//
// Files: flow.c (life), flow_boundary.c (sides, solids, wind, labels), flow_tiles.c (which tiles are awake),
// flow_advect.c, flow_expand.c (divergence that is asked for), flow_forces.c (forces, subgrid friction),
// flow_project.c, flow_diffuse.c (viscosity, conduction), flow_limits.c (how long a step may be),
// flow_measure.c (stats, frames), flow_state.c (save, load), flow_check.c (whether a step went well). What
// they call of each other is in flow_parts.h.
//
// The stages lean on each other in one order only, that of a step:
//     tiles -> move solids -> advect -> walls and labels -> sources -> forces -> friction -> project ->
//     extend.
// Within it: the wind and begin_measures come first, sources prescribe velocities right before each
// projection, and walls set theirs before friction. tests/physics/test_flow.c has the plainest recipe of a
// moving fluid.
#pragma once

#include "advect/advect.h"
#include "flow/scene_bodies.h"
#include "flow/scene_drive.h"
#include "flow/scene_solids.h"
#include "flow/scene_sources.h"
#include "grid/follow.h"
#include "grid/frame_copy.h"
#include "operate/acceleration.h"
#include "operate/diffuse.h"
#include "operate/occupied.h"
#include "operate/project.h"
#include "operate/subgrid.h"
#include "operate/vorticity.h"
#include "solidflow/solid_flow.h"
#include "solidflow/surface_loads.h"
#include "viscous/elastic.h"

// What a recipe asks of its flow. The scene is checked, and outlives the flow.
typedef struct BwFlowDef {
    const BwSceneDef *scene;
    BwAllocator allocator;
    BwPool *pool;
    bool is_carried;  // by particles: their speed is the flow's
    bool is_advected; // though it is carried, the velocity is advected on the grid as well
    BwAdvection advection;
    float viscosity;       // m^2/s
    bool is_viscous;       // it is above 0, now or later
    double elastic;        // m^2/s^2, of a liquid: its shear modulus over density; 0: it is not
    bool couples_stress;   // of a liquid: its viscosity is bw_flow_liquid_viscosity's
    bool varies_viscosity; // then: from cell to cell, as flow->viscosities has it
    BwViscosityLaw law;    // then: how it follows the rate of strain
    float conductivity;    // m^2/s, of the fluid's heat
    bool has_heat;         // it has a temperature, which surfaces may set
    float subgrid;         // 1, see operate/subgrid.h; 0: none
    float confinement;     // 1/s; 0: none
    float envelope;        // m, of air to keep awake around the fluid; 0: all of the box, if there is one
    const BwCurve *wind;   // m/s, of the air outside; NULL: at rest
    float wind_rate;       // 1/s, towards the wind at the rim of sparse fluid
    bool is_explicit;      // by the explicit scheme: obstacles are whole cells, friction is its own
    bool expands;          // it is asked for a divergence (flow_expand.c)
    double density;        // kg/m^3
    double heat_capacity;  // J/(kg K)
} BwFlowDef;

// What goes through surfaces, looked at in the last step of a frame. Per density and heat capacity.
typedef struct BwFlowMeasures {
    bool is_due;   // the present step is the last of its frame
    bool is_known; // a step has begun since creation or load
    BwSurfaceSums sums;
    BwSurfaceLoad *pressure, *viscous; // of the obstacles
    double *volumes;                   // m^3, of the obstacles
    double *heat_flux;                 // K m^3/s, of sides and then obstacles
    double dissipation;                // m^5/s^3
    BwObstacleStats *obstacles;        // as told
} BwFlowMeasures;

typedef struct BwFlow {
    BwFlowDef def;
    const BwSceneDef *scene;
    BwAllocator allocator;
    BwPool *pool;
    BwGrid *grid;
    bool is_whole_box; // every tile between the walls is awake, always

    BwDomain domain;
    BwVelocity velocity;      // free of divergence between steps
    BwVelocity next_velocity; // scratch; where advection and friction write, before the two are swapped
    BwVelocity reflected;     // of advection by reflection
    BwPrescribed prescribed;  // where sources prescribe the velocity, where the scene has any
    BwField divergence;       // 1/s, that the last step asked for, where def.expands
    BwFluidTerms terms;       // then: says so to the domain
    BwProjection projection;
    BwAdvector *advector;
    BwVorticityScratch *vorticity; // NULL: no confinement
    BwSubgrid subgrid;
    BwDiffusion diffusion;
    BwViscosity viscosity;             // of liquids that couple the stress
    BwElastic elastic;                 // of those that are elastic
    BwField viscosities;               // m^2/s, at cells, where def.varies_viscosity
    bool has_friction, has_conduction; // viscosity or surfaces that stick; conduction or surfaces that heat
    bool keeps_acceleration;           // viscous fluid sticks to something, or is advected by reflection
    // Only then, m/s^2: what the last projection gave; by reflection, what friction did in the last step.
    BwVelocity acceleration;

    BwFollowPlan plan;
    BwTileSpan *spans;
    int64_t span_capacity;
    BwCellBox *boxes; // of sources that are on
    BwProjectedArea *projected_areas;
    BwCoverage *coverage; // of the sources

    BwSceneSolids solids;
    BwSceneBodies bodies;     // of liquids
    BwSolidFaces solid_faces; // these two only where there are obstacles
    BwSolidFlow solid_flow;
    double pressure_dt;       // s, that the pressure of the last step acted over
    float solids_dt;          // s, of the step that the solids last moved in
    bool must_measure_solids; // solids or tiles have changed since they were last measured and labelled
    BwForce *forces;
    BwFrameCopy frame;
    BwFlowMeasures measures;
    BwField pressure;  // Pa, of the last step; only where the scene asks for it
    bool has_pressure; // frames show it; 0 before the first step

    float max_speed;                  // m/s, after the last step
    BwVec3 wind;                      // m/s, at present
    double walls_time;                // s, of the domain's sides
    BwVec3 first_flow[BW_SIDE_COUNT]; // m/s, mean velocity along each side of the box at the start
    double residual;                  // of the last projection, relative
    BwStop stop;
} BwFlow;

// Life. Create makes a flow with no tile awake; wake wakes those of the start and labels them; start is
// called once the recipe has filled them. After a failure destroy frees what was made.
BwResult bw_flow_create(BwFlow *flow, const BwFlowDef *def, BwError *err);
BwResult bw_flow_wake(BwFlow *flow, BwError *err);
void bw_flow_start(BwFlow *flow);
void bw_flow_destroy(BwFlow *flow);

// Whether it is a liquid whose stress is coupled, at present.
static inline bool bw_flow_is_thick(const BwFlow *flow)
{
    return flow->def.couples_stress && (flow->def.viscosity > 0.0f || flow->def.varies_viscosity ||
                                        flow->def.law.yield > 0.0f || flow->def.elastic > 0.0);
}

static inline bool bw_flow_reflects(const BwFlow *flow)
{
    return flow->def.advection == BW_ADVECT_REFLECTION;
}

// Tiles: plans which to wake for a step and which to put to sleep, by where the fluid is and where sources
// may write. The recipe accounts for what sleeps and then applies flow->plan. Nothing to do in a whole box.
BwResult bw_flow_plan_tiles(BwFlow *flow, const BwPresence *presence, int presence_count, double time,
                            double dt, BwError *err);

// Boundary: the wind of a time; the solids at the end of a step, which paths are followed past; the sides of
// the box; labels of cells and faces, with the solids measured anew where they or the tiles have changed; and
// the velocity of walls and solids on their faces. The sides of a liquid have the velocity of the middle of
// the step that ends at the time, for that is what its own is of.
BwResult bw_flow_look_up_wind(BwFlow *flow, double time, BwError *err);
BwResult bw_flow_move_solids(BwFlow *flow, double time, double dt, BwError *err);
BwResult bw_flow_set_walls(BwFlow *flow, double time, BwError *err);

// The same for a liquid, whose particles are where they are at the start of a step: solids keep their place
// while it is solved for, with the speed of the step to come, and get to their new place when the particles
// have moved.
BwResult bw_flow_aim_solids(BwFlow *flow, double time, double dt, BwError *err);
BwResult bw_flow_land_solids(BwFlow *flow, double time, double dt, BwError *err);

// Moves the scene's bodies through a liquid, once its velocity is found and the obstacles have landed, and
// before its surface moves.
void bw_flow_move_bodies(BwFlow *flow, const BwField *phi, const BwMask *liquid, BwVec3 gravity, double dt);

void bw_flow_label(BwFlow *flow);
void bw_flow_set_wall_velocity(BwFlow *flow);
bool bw_flow_is_closed(const BwFlow *flow); // no fluid comes or goes

// Advection of the velocity along itself, together with a recipe's scalars, which go to their second buffers.
BwScheme bw_flow_scheme(const BwFlow *flow);
void bw_flow_advect(BwFlow *flow, const BwAdvectSet *scalars, double dt);

// Another velocity of the same gas along itself: that of fuel, where it is not the flow's.
void bw_flow_advect_other(BwFlow *flow, const BwVelocity *from, BwVelocity *to, const BwNotes *wanted,
                          double dt);

// The velocity of a liquid along another, into one of the recipe's. Both are known on some faces only, in the
// liquid and as far around as they were extrapolated.
void bw_flow_advect_known(BwFlow *flow, const BwMask known[3], const BwVelocity *along, BwVelocity *to,
                          double dt);

// Scalars along such a velocity.
void bw_flow_advect_scalars_known(BwFlow *flow, const BwMask known[3], const BwVelocity *along,
                                  const BwAdvectSet *scalars, double dt);

// By reflection: the velocity along itself for half of the step (and the scalars too, or NULL); and from the
// middle of the step, along the velocity there, the scalars for the whole of it, which the recipe then takes
// over, and what was reflected for the other half.
void bw_flow_advect_first_half(BwFlow *flow, const BwAdvectSet *scalars, double dt);
void bw_flow_advect_scalars(BwFlow *flow, const BwAdvectSet *scalars, double dt);
void bw_flow_advect_second_half(BwFlow *flow, double dt);

// Remembers the velocity before the projection in the middle, and mirrors it at what it is after.
void bw_flow_begin_reflection(BwFlow *flow);
void bw_flow_reflect(BwFlow *flow);

// Forces of the scene, of some kinds; vorticity confinement; the wind at the rim of sparse fluid.
enum { BW_FORCES_DRIVE = 1, BW_FORCES_DRAG = 2 };
BwResult bw_flow_add_forces(BwFlow *flow, int kinds, double time, double dt, BwError *err);
BwResult bw_flow_look_up_forces(BwFlow *flow, int kinds, double time, int *found, BwError *err);
void bw_flow_confine(BwFlow *flow, double dt);
void bw_flow_add_wind(BwFlow *flow, double dt);

// Expansion. What is so much a volume is thinned out by what the last step asked for, by half of it before it
// is advected and by half after; then a step begins with none, and the recipe adds to flow->divergence.
void bw_flow_thin_out(BwFlow *flow, BwField *field, double dt);
void bw_flow_begin_expansion(BwFlow *flow);

// What the scene's charges release in a step; whether one releases anything at a time, or from one to
// another; the volume that it gives off in all, m^3; and its speed, m/s.
BwResult bw_flow_add_charges(BwFlow *flow, double time, double dt, BwError *err);
bool bw_charge_is_on(const BwSceneDef *scene, const BwChargeDef *charge, double time);
bool bw_charge_acts(const BwSceneDef *scene, const BwChargeDef *charge, double from, double to);
double bw_charge_volume(const BwChargeDef *charge);
float bw_charge_speed(const BwSceneDef *scene, const BwChargeDef *charge);

// Sets the velocity that sources prescribe, which the projection then keeps.
BwResult bw_flow_prescribe(BwFlow *flow, const BwSourceFields *fields, double time, BwError *err);

// Drains motion at the scale of the grid.
void bw_flow_subgrid_friction(BwFlow *flow, double dt);

// Makes the velocity free of divergence, and extends it into solids. The last projection of a step also keeps
// what pressure did, for the viscosity of the next, and finds the largest speed.
BwResult bw_flow_project(BwFlow *flow, BwStats *stats, BwError *err);
BwResult bw_flow_project_last(BwFlow *flow, double time, double dt, BwStats *stats, BwError *err);

// Viscosity, and walls and obstacles that the fluid sticks to; heat that conducts, and comes in from heated
// walls and obstacles. Each is to be called only where has_friction, has_conduction.
BwResult bw_flow_viscosity(BwFlow *flow, double dt, BwStats *stats, BwError *err);
BwResult bw_flow_conduct(BwFlow *flow, BwField *temperature, const BwDiffuseTerms *terms, BwStats *stats,
                         BwError *err);

// The viscosity of a liquid whose surface is that of the domain's terms, where the flow couples the stress:
// after a projection, which balances forces, and projects again. Faces that solids leave open are `passable`.
BwResult bw_flow_liquid_viscosity(BwFlow *flow, const BwMask passable[3], double dt, BwStats *stats,
                                  BwError *err);

// After a projection: cells below closed lids that these pull at are marked in `released` and taken off the
// mask of the liquid; after another one, those that do not fall away are put back. `fall` is what gravity
// adds in the step, m/s. Labels follow. True where any cell was: then the velocity before has to be projected
// again.
bool bw_flow_lids_let_go(BwFlow *flow, BwVec3 fall, BwMask *released, BwMask *liquid);
bool bw_flow_lids_take_hold(BwFlow *flow, BwVec3 fall, BwMask *released, BwMask *liquid);

// The strain of an elastic liquid is flow->elastic.strain at the start of a step. Pushing adds its force,
// over `seconds` and after a step of last_dt, to the velocity before the first projection; what is left is
// part of bw_flow_liquid_viscosity. Then flow->elastic.rate becomes the gradient of the velocity.
// The modulus is that of a force that acts for so long, m^2/s^2 over density: no more than steps can use.
double bw_flow_elastic_modulus(const BwFlow *flow, double seconds);
void bw_flow_elastic_push(BwFlow *flow, const BwMask passable[3], double dt, double seconds, double last_dt);
void bw_flow_elastic_rate(BwFlow *flow, const BwMask passable[3], double dt);

// After the push and a projection: cells that pull at walls are taken off the mask of the liquid; after
// another one, those that come nearer to a wall are put back. Labels follow. True where any cell was: then
// both have to be done again, from the velocity before the push.
bool bw_flow_elastic_let_go(BwFlow *flow, const BwMask passable[3], double seconds, BwMask *liquid);
bool bw_flow_elastic_take_hold(BwFlow *flow, BwMask *liquid);
// Nothing has let go yet.
void bw_flow_elastic_begin(BwFlow *flow);

// By reflection, where there is viscosity: adds dt / 2 of the last step's viscous acceleration to the
// mid-step velocity, and dt of it to the velocity that will be reflected, so that the reflection cancels it.
void bw_flow_predict_viscosity(BwFlow *flow, double dt);

// Bounds on the next step: raises the speed to the fastest that the flow is or that a source or wall will set
// it to, m/s, and adds the strongest acceleration of the scene's forces, m/s^2. And the step that both allow,
// and the obstacles on their way, s, by cfl; infinity when nothing moves.
BwResult bw_flow_add_limits(const BwFlow *flow, double time, float *speed, float *acceleration, BwError *err);
BwResult bw_flow_step_limit(const BwFlow *flow, double time, float speed, float acceleration, double *limit,
                            BwError *err);

// How far obstacles come near the fluid from `time` to dt later, m, at most.
BwResult bw_flow_solids_way(const BwFlow *flow, double time, double dt, float *way, BwError *err);

// What drives the flow, for the watch on runaway flows, apart from the recipe's own acceleration.
BwResult bw_flow_drive(BwFlow *flow, double time, BwDrive *drive, BwError *err);

// Stats of a frame. Fluxes are measured in its last step, right after the solve that they belong to.
void bw_flow_begin_measures(BwFlow *flow, double time, double dt, const BwStats *stats);
void bw_flow_measure(BwFlow *flow, BwStats *stats);

// A frame: adds the flow's fields to a list of sources, and the pressure, where the scene asks for it.
int bw_flow_frame_fields(BwFlow *flow, BwFrameSource *sources, int count);
int bw_flow_frame_pressure(BwFlow *flow, BwFrameSource *sources, int count);
BwResult bw_flow_show(BwFlow *flow, const BwRecord *kept, const BwFrameSource *sources, int count,
                      BwFrame *frame, BwError *err);

// Fields that make up a state.
typedef struct BwStateField {
    const char *name;
    BwField *field;
} BwStateField;
enum { BW_STATE_FIELDS_MAX = 24 };

// Adds those of the flow to a list; gives the new length.
int bw_flow_state_fields(BwFlow *flow, BwStateField *list, int count);

// State: the whole of it, with the listed fields; whether what was loaded agrees with itself and the scene.
BwResult bw_flow_save(BwFlow *flow, const BwStateField *fields, int count, BwRecord *record, BwError *err);
BwResult bw_flow_load(BwFlow *flow, const BwStateField *fields, int count, const BwRecord *record,
                      BwError *err);
BwResult bw_flow_agree(BwFlow *flow, const BwRecord *record, BwError *err);

// Whether a step, of dt, left something to go on from: finite numbers, a speed that can be followed, a
// pressure solve that got somewhere.
BwResult bw_flow_check(const BwFlow *flow, const BwStateField *fields, int count, double dt, BwError *err);

// Cells that a step of fluid in the open may cross, at most. It bounds the memory that a flow gone wild can
// ask for: tiles are awake that far around the fluid.
enum { BW_FLOW_REACH_MAX = 64 };
