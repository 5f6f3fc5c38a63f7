// The state of smoke, shared by the files that make up its solver: smoke.c (life and recipe),
// smoke_tiles.c (which tiles are awake), smoke_carry.c (advection), smoke_sources.c (what sources mean to it,
// and what it loses), smoke_color.c (its colour), smoke_diffuse.c (friction and conduction), smoke_measure.c
// (numbers of a frame), smoke_state.c (keeping and taking back) and smoke_guard.c (what may go wrong).
#pragma once

#include "advect/advect.h"
#include "advect/foresee.h"
#include "grid/follow.h"
#include "grid/frame_copy.h"
#include "operate/diffuse.h"
#include "operate/project.h"
#include "operate/push.h"
#include "operate/subgrid.h"
#include "operate/vorticity.h"
#include "solidflow/solid_flow.h"
#include "solidflow/surface_loads.h"
#include "solvers/scene_solids.h"
#include "solvers/scene_sources.h"
#include "solvers/solver.h"
#include "solvers/stage_clock.h"

// Cells that a step of smoke in the open may cross, at most. It bounds the memory that a flow gone wild can
// ask for: tiles are awake that far around the smoke.
enum { BW_SMOKE_REACH_MAX = 64 };

// How the last step went, for the guard.
typedef struct BwSmokeOutcome {
    double mass_before, mass_carried; // of the smoke, before it was carried and after
    double residual;                  // of the pressure, relative
    BwStop stop;
} BwSmokeOutcome;

// What goes through surfaces, looked at in the last step of a frame. Per density and heat capacity.
typedef struct BwSmokeMeasures {
    bool is_due;   // the present step is the last of its frame
    bool is_known; // a frame has been stepped to
    BwSurfaceSums sums;
    BwSurfaceLoad *pressure, *viscous; // of the obstacles
    double *volumes;                   // m^3, of the obstacles
    double *heat_flux;                 // K m^3/s, of sides and then obstacles
    double dissipation;                // m^5/s^3
    BwObstacleStats *obstacles;        // as told
} BwSmokeMeasures;

// Colour, where a scene has any. Between steps `field` holds what it is: red, green and blue where there is
// smoke, else 0. During one it holds the coordinates of `hull` times density, which are carried like density.
typedef struct BwSmokeColor {
    bool is_used;
    BwColorHull hull;
    BwField field[3], next[3]; // of the second, as many as the hull has dimensions
    const BwField *from[3];    // the same, as the advector and sources want them
    BwField *to[3], *amount[3];
    BwNotes left[2]; // of what a tile's cells had too much or too little of, what it had no room for: floats
} BwSmokeColor;

typedef struct BwSmoke {
    const BwSceneDef *scene;
    BwAllocator allocator;
    BwPool *pool;
    const volatile int *const *stop; // see BwSolverSetup
    BwGrid *grid;
    bool is_whole_box; // every tile between the walls is awake, always

    BwDomain domain;
    BwVelocity velocity, next_velocity;
    BwField density, temperature;           // 1, K
    BwField next_density, next_temperature; // where advection writes
    BwSmokeColor color;
    BwVelocity reflected;    // of advection by reflection
    BwMask held;             // cells that sources fill up again after every step
    BwPrescribed prescribed; // where sources prescribe the velocity, where the scene has any
    BwProjection projection;
    BwAdvector *advector;
    BwVorticityScratch *vorticity; // NULL: no confinement
    BwSubgrid subgrid;
    BwDiffusion diffusion;
    bool has_friction, has_conduction; // whether the scene asks for them
    bool has_push;                     // viscous gas sticks to something, or is carried by reflection
    // Only then, m/s^2: what the last projection gave; by reflection, what friction did in the last step.
    BwVelocity push;

    BwFollowPlan plan;
    BwTileSpan *spans;
    int64_t span_capacity;
    BwEmitterShadow *shadows;
    BwCoverage *coverage; // of the sources
    BwCellBox *boxes;     // of emitters that are on, and of heated obstacles
    BwSceneSolids solids;
    BwSolidFaces solid_faces; // these two only where there are obstacles
    BwSolidFlow solid_flow;
    float solids_dt; // s, of the step that the solids last moved in
    BwForce *forces;
    BwFrameCopy frame;
    BwSmokeMeasures measures;
    BwField pressure;  // Pa, of the last step; only where the scene asks for it
    bool has_pressure; // and it is known

    float max_speed;                  // m/s, after the last step
    BwVec3 wind;                      // m/s, at present
    double walls_time;                // s, of the domain's sides
    BwVec3 first_flow[BW_SIDE_COUNT]; // m/s, mean velocity along each side of the box at the start
    BwSmokeOutcome outcome;
} BwSmoke;

// Wakes the tiles of the start.
BwResult bw_smoke_wake(BwSmoke *smoke, BwError *err);

// Wakes tiles where the smoke may go, puts those to sleep that it has left.
BwResult bw_smoke_follow(BwSmoke *smoke, double time, double dt, BwStats *stats, BwError *err);

// Buffers for the scene's scheme of advection; `air` is the velocity beyond the tiles.
BwResult bw_smoke_create_carrying(BwSmoke *smoke, BwVec3 air, BwError *err);
void bw_smoke_destroy_carrying(BwSmoke *smoke);
void bw_smoke_set_air(BwSmoke *smoke, BwVec3 air);

// Carries all along the velocity.
void bw_smoke_carry(BwSmoke *smoke, double dt);

static inline bool bw_smoke_reflects(const BwSmoke *smoke)
{
    return smoke->scene->smoke.advection == BW_ADVECT_REFLECTION;
}

// By reflection: the velocity along itself for half of the step (and, into their second buffers, the scalars
// as they are then); and from the middle of the step, along the velocity there, what was reflected for the
// other half and the scalars for the whole of it.
void bw_smoke_carry_first_half(BwSmoke *smoke, bool with_scalars, double dt);
void bw_smoke_carry_second_half(BwSmoke *smoke, double dt);

// Remembers the velocity before the projection in the middle, and mirrors it at what it is after.
void bw_smoke_hold_for_reflection(BwSmoke *smoke);
void bw_smoke_reflect(BwSmoke *smoke);

void bw_smoke_swap_velocity(BwSmoke *smoke);

// What the scene's sources write to.
BwSourceFields bw_smoke_fields(BwSmoke *smoke);

// Sets the velocity that sources prescribe, which the projection then keeps.
BwResult bw_smoke_prescribe(BwSmoke *smoke, double time, BwError *err);

// Finds the cells that sources hold.
void bw_smoke_mark_held(BwSmoke *smoke, double time);

// Takes away the smoke that solids moved over, and gives the cells they left what is beside them.
void bw_smoke_clear_solids(BwSmoke *smoke, BwStats *stats);

// Colour: made with its fields; multiplied by density before all is carried; brought back into the hull of
// the scene's colours once it is; and divided by density at the end. Each does nothing where there is none.
BwResult bw_smoke_create_color(BwSmoke *smoke, BwError *err);
void bw_smoke_destroy_color(BwSmoke *smoke);
void bw_smoke_begin_color(BwSmoke *smoke);
void bw_smoke_hold_color(BwSmoke *smoke);
void bw_smoke_end_color(BwSmoke *smoke);

// Whether a loaded state has colours that this scene can have.
BwResult bw_smoke_agree_on_color(BwSmoke *smoke, BwError *err);

// Dissipation and cooling.
void bw_smoke_decay(BwSmoke *smoke, double dt, BwStats *stats);

// Bounds on the next step: the fastest that the flow is or that a source will set it to, m/s, and the
// strongest pull of forces, and of the heat and smoke that are there or will come, m/s^2.
BwResult bw_smoke_limits(const BwSmoke *smoke, double time, float *speed, float *acceleration, BwError *err);

// Friction and conduction, as far as the scene asks for them.
BwResult bw_smoke_create_diffusion(BwSmoke *smoke, BwError *err);

// Numbers of a frame. Fluxes are measured in its last step, right after the solve that they belong to.
BwResult bw_smoke_create_measures(BwSmoke *smoke, BwError *err);
void bw_smoke_destroy_measures(BwSmoke *smoke);
void bw_smoke_begin_measures(BwSmoke *smoke, double time, double dt, const BwStats *stats);
void bw_smoke_measure_viscosity(BwSmoke *smoke, const BwHeld *held);
void bw_smoke_measure_conduction(BwSmoke *smoke, const BwHeld *held);
double bw_smoke_mass(const BwSmoke *smoke);

// Brings `pressure` up to date.
void bw_smoke_tell_pressure(BwSmoke *smoke);
void bw_smoke_measure(void *solver, BwStats *stats);

// The viscosity of the gas, and walls and obstacles that it sticks to.
BwResult bw_smoke_rub(BwSmoke *smoke, double dt, BwStats *stats, BwError *err);

// By reflection, where there is viscosity: lets the velocity of the middle, along which all is carried, know
// of it, by what it did in the last step. The mirror image stays without.
void bw_smoke_rub_middle(BwSmoke *smoke, double dt);

// Drains motion at the scale of the grid.
void bw_smoke_drain_subgrid(BwSmoke *smoke, double dt);

// Heat spreads, and comes in from heated walls and obstacles.
BwResult bw_smoke_conduct(BwSmoke *smoke, BwStats *stats, BwError *err);

// The fastest that a wall moves, m/s, and the largest distance from ambient that one is held at, K.
void bw_smoke_surface_limits(const BwSmoke *smoke, float *speed, float *hottest);

// beta of D (1.8): as given, or that of an ideal gas.
float bw_smoke_heat_lift(const BwSmoke *smoke, float gravity);

// The wind from now on, and with it the air beyond the tiles of an unbounded scene.
void bw_smoke_set_wind(BwSmoke *smoke, BwVec3 wind);

// Labels cells and faces. Where solids or tiles are new, what solids leave open of the faces is measured
// before.
void bw_smoke_label(BwSmoke *smoke, bool is_new);

// The sides of the box as they are at a time.
BwResult bw_smoke_set_walls(BwSmoke *smoke, double time, BwError *err);

// The fields that make up the state.
typedef struct BwSmokeField {
    const char *name;
    BwField *field;
} BwSmokeField;
enum { BW_SMOKE_FIELDS = 11 };
int bw_smoke_list_fields(BwSmoke *smoke, BwSmokeField list[BW_SMOKE_FIELDS]);

// The solver's check, save and load (solvers/solver.h).
BwResult bw_smoke_check(void *solver, double dt, BwError *err);
BwResult bw_smoke_save(void *solver, BwRecord *record, BwError *err);
BwResult bw_smoke_load(void *solver, const BwRecord *record, BwError *err);
BwResult bw_smoke_agree(void *solver, const BwRecord *record, BwError *err);
