// The state of a liquid carried by particles, shared by the files of its solver: liquid.c (life and recipe),
// liquid_emission.c (what sources emit and sinks take), liquid_heat.c (conduction), and liquid_state.c
// (frames, stats, and keeping and taking back).
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

// What a source gives its particles to carry, but for when they are born; what it does not say (NaN) is that
// of the scene's liquid: look.water_color, as warm as the air, liquid.viscosity.
BwParticleLoad bw_liquid_source_load(const BwSceneDef *scene, const float color[3], float temperature,
                                     float viscosity, int source);

// The part of the level set's volume at the start that a seeded particle stands for, m^3; where there are
// sources, what it was seeded with, so that all that comes and goes counts alike.
double bw_liquid_particle_volume(const BwLiquid *liquid);

// The fastest of the particles and of what the grid carries, m/s.
float bw_liquid_max_speed(const BwLiquid *liquid);

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

// Velocity, surface and labels from where the particles are: all of the grid that is not kept.
BwResult bw_liquid_refresh(BwLiquid *liquid, BwError *err);

// What of BwSolverType is in liquid_state.c.
void bw_liquid_measure(void *solver, BwStats *stats);
BwResult bw_liquid_frame(void *solver, const BwRecord *kept, BwFrame *frame, BwError *err);
int bw_liquid_state_fields(void *solver, BwStateField list[BW_STATE_FIELDS_MAX]);
BwResult bw_liquid_check(void *solver, double dt, BwError *err);
BwResult bw_liquid_save(void *solver, BwRecord *record, BwError *err);
BwResult bw_liquid_load(void *solver, const BwRecord *record, BwError *err);
BwResult bw_liquid_agree(void *solver, const BwRecord *record, BwError *err);
