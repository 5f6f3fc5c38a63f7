// The state of a liquid carried by particles, shared by the files of its solver: liquid.c (the recipe),
// liquid_explicit.c (that of the explicit scheme), and their stages; liquid_life.c (create and destroy) and
// liquid_state.c (frames, stats, and keeping and taking back).
#pragma once

#include "flow/explicit_motion.h"
#include "operate/free_bodies.h"
#include "operate/liquid_depth.h"
#include "operate/liquid_heat.h"
#include "particle/advance.h"
#include "particle/attribute_fields.h"
#include "particle/core.h"
#include "particle/particle_frame.h"
#include "particle/sort.h"
#include "particle/transfer.h"
#include "solvers/solver.h"

// Cells of air that are awake around particles, and layers of velocity around the liquid, beyond what
// particles may cross in a step; layers above the liquid in which particles rest on it.
enum { BW_LIQUID_ENVELOPE_CELLS = 3, BW_LIQUID_LAYERS_MIN = 2, BW_LIQUID_LAYERS_RESTING = 2 };

typedef struct BwLiquid {
    const BwSceneDef *scene;
    BwAllocator allocator;
    const volatile int *const *stop; // see BwSolverSetup
    BwFlow flow;                     // its velocity is the particles', between steps
    BwParticles particles;
    BwAttributeFields attributes; // what they carry, as frames show it
    BwTransfer transfer;
    BwAdvancer *advancer;
    BwFaceMasks faces;
    BwLiquidSurface surface;
    BwSurfaceTension tension;
    bool has_tension;
    BwFluidTerms terms;
    BwVelocity
        shift; // m/s, that moves particles besides their velocity; before, what pressure has not acted on
    BwField turning; // 1/s, the divergence of flow that turns, with that of the sources (operate/turning.h)
    BwVelocity
        midway; // m/s, at fixed places in the middle of the step; before, the weight of particles on faces
    BwVelocity before; // m/s, before the step; only for flip
    bool has_before;
    BwVelocity carried;            // m/s, as the grid alone carried it through the last step
    bool is_carrying, has_carried; // whether it does, and whether it has
    BwCore core;                   // where it carries all of the liquid; only with a narrow band
    BwDepth depth;
    bool has_core;
    BwCellHeat cell_heat; // these two where heat is conducted
    BwLiquidHeat heat;
    bool has_heat;
    BwExplicit scheme; // only by the explicit scheme
    bool is_explicit;
    BwLiquidSources sources;
    BwFreeBodies bodies;
    BwProjection spacing;   // of the motion that gives particles their spacing
    double last_dt;         // s, of the last step; 0: there was none
    bool must_measure_room; // of all tiles: solids have moved

    int32_t seeded;      // particles at the start
    int64_t core_start;  // cells of the core then
    double seeds;        // both, as so many particles
    double volume_start; // m^3, of the level set then, before sinks are cut out of it
    double divergence;   // 1/s, left by the last projection
    BwParticleFrame frame;
} BwLiquid;

// Life, from a scene to nothing (liquid_life.c).
BwResult bw_liquid_create(void **out, const BwSolverSetup *setup, BwError *err);
void bw_liquid_destroy(void *solver);

// Cells of particles below the surface; 0: they are everywhere, as they are where they carry what the grid of
// a core does not know.
int bw_liquid_band_cells(const BwSceneDef *scene);

// What a source gives its particles to carry, but for when they are born; what it does not say (NaN) is that
// of the scene's liquid: look.water_color, as warm as the air, liquid.viscosity.
BwParticleLoad bw_liquid_source_load(const BwSceneDef *scene, const float color[3], float temperature,
                                     float viscosity, int source);

// The part of the level set's volume at the start that a seeded particle stands for, m^3; where there are
// sources, what it was seeded with, so that all that comes and goes counts alike.
double bw_liquid_particle_volume(const BwLiquid *liquid);

// The grid (liquid_grid.c). Refresh: velocity, surface and labels from where the particles are, all of the
// grid that is not kept; renew: tiles too, those that particles reach, and if told those put to sleep that
// none can. Prepare, at the start of a step: tiles, solids with their speed, walls, labels, the core that
// shall be, and velocity on all faces of fluid. Extend velocity: to all faces that particles may get to.
BwResult bw_liquid_refresh(BwLiquid *liquid, BwError *err);
BwResult bw_liquid_renew(BwLiquid *liquid, int reach, bool may_sleep, BwError *err);
BwResult bw_liquid_prepare(BwLiquid *liquid, int reach, double time, double dt, BwError *err);
void bw_liquid_extend_velocity(BwLiquid *liquid, int reach);

// The velocity (liquid_velocity.c): in the middle of the step, by forces, walls and solids, sources,
// pressure; and that at fixed places then.
BwResult bw_liquid_find_velocity(BwLiquid *liquid, const BwLiquidForces *forces, BwStats *stats,
                                 BwError *err);
void bw_liquid_find_midway(BwLiquid *liquid, double dt);

// Slows all of the flow down evenly where it would lead over more cells in a step than anything is known of
// on the way: a step as long as that would throw the liquid onto itself. It has no divergence then either.
void bw_liquid_limit_way(BwLiquid *liquid, double dt);

// The elastic strain at the end of the step, by the velocity that particles move by.
void bw_liquid_strain_particles(BwLiquid *liquid, double dt);

// The spacing of particles (liquid_spacing.c), where the scene wants it kept: the shift that, added to a
// velocity that walls and solids agree with, gives it back.
bool bw_liquid_corrects_spacing(const BwLiquid *liquid);
BwResult bw_liquid_find_shift(BwLiquid *liquid, const BwVelocity *velocity, double dt, BwStats *stats,
                              BwError *err);

// After a step that crossed many cells particles may crowd, more than the next step's motion can part. Solids
// that move would push once more in every round, so beside them the steps alone have to do.
BwResult bw_liquid_space_out_crowds(BwLiquid *liquid, double dt, BwStats *stats, BwError *err);

// The particles (liquid_particles.c): the fastest of them and of what the grid carries, m/s; what stands in
// the way of those that cross so many cells.
float bw_liquid_max_speed(const BwLiquid *liquid);
BwCollision bw_liquid_collision(const BwFlow *flow, int reach);

// Whether friction or strain reach over a cell in a step of dt.
bool bw_liquid_holds_together(const BwLiquid *liquid, double dt);

// In a step: keeps between half and twice as many in a cell as it was seeded with; gives them new velocities
// and places, past the solids as they get to where they are at its end; carries the velocity that the grid
// keeps by itself, past the solids as they have moved; sorts particles that a velocity, if any, and the shift
// have moved, by so many cells at most.
BwResult bw_liquid_resample(BwLiquid *liquid, BwError *err);
BwResult bw_liquid_move_particles(BwLiquid *liquid, const BwLiquidForces *forces, int reach, BwError *err);
void bw_liquid_carry_velocity(BwLiquid *liquid, double dt);
BwResult bw_liquid_sort_particles(BwLiquid *liquid, const BwVelocity *velocity, int reach, double time,
                                  double dt, BwStats *stats, BwError *err);

// A step by the explicit scheme; one that a scene makes longer than its limit is taken in stable parts.
BwResult bw_liquid_explicit_step(BwLiquid *liquid, double time, double dt, BwStats *stats, BwError *err);

// A step along a flow that the scene gives (liquid_given.c).
BwResult bw_liquid_given_step(BwLiquid *liquid, double time, double dt, BwStats *stats, BwError *err);

// The particles of sources, as flow/liquid_sources.h has them in a step: emit adds them, after the core has
// added its own; drain removes some, after the sort. The core is kept away from where particles with a
// velocity of their own come up.
BwResult bw_liquid_emit(BwLiquid *liquid, const BwCollision *collision, double time, double dt,
                        BwStats *stats, BwError *err);
BwResult bw_liquid_drain(BwLiquid *liquid, const BwParticlesGone *gone, double dt, BwStats *stats,
                         BwError *err);
void bw_liquid_clear_core(BwLiquid *liquid, double dt);

// Heat (liquid_heat.c): what it needs; conduction in a step, from walls and obstacles too; and how much there
// is, above that of the air, J.
BwResult bw_liquid_create_heat(BwLiquid *liquid, BwError *err);
void bw_liquid_destroy_heat(BwLiquid *liquid);
BwResult bw_liquid_conduct(BwLiquid *liquid, double dt, BwStats *stats, BwError *err);
double bw_liquid_heat(const BwLiquid *liquid);

// All of the liquid, as so many seeded particles (liquid_state.c).
double bw_liquid_seeds(const BwLiquid *liquid);

// What of BwSolverType is in liquid_state.c.
void bw_liquid_measure(void *solver, BwStats *stats);
BwResult bw_liquid_frame(void *solver, const BwRecord *kept, BwFrame *frame, BwError *err);
int bw_liquid_state_fields(void *solver, BwStateField list[BW_STATE_FIELDS_MAX]);
BwResult bw_liquid_check(void *solver, double dt, BwError *err);
BwResult bw_liquid_save(void *solver, BwRecord *record, BwError *err);
BwResult bw_liquid_load(void *solver, const BwRecord *record, BwError *err);
BwResult bw_liquid_agree(void *solver, const BwRecord *record, BwError *err);
