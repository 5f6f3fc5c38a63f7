// The state of a liquid carried by a level set, shared by the files of its solver: levelset.c (life and
// recipe), levelset_surface.c (how the surface moves), levelset_elastic.c (the strain of
// one that is elastic), levelset_sources.c (what sources put in and sinks
// take), and levelset_state.c (frames, stats, and keeping and taking back).
#pragma once

#include "flow/liquid_motion.h"
#include "operate/distance.h"
#include "operate/level_advect.h"
#include "operate/level_air.h"
#include "operate/level_flow.h"
#include "operate/level_regions.h"
#include "particle/level_particles.h"
#include "solvers/solver.h"
#include "viscous/grid_strain.h"

// Cells on each side of the surface in which phi is a distance; beyond them it is +-band.
enum { BW_LEVELSET_BAND = 5 };

typedef struct BwLevelset {
    const BwSceneDef *scene;
    BwAllocator allocator;
    const volatile int *const *stop; // see BwSolverSetup
    BwFlow flow;                     // between steps its velocity is there on all faces that border liquid
    BwField phi;                     // m, below 0 inside
    BwField next_phi;                // where advection along paths writes; and scratch
    BwField open;                    // 1, of a cell's volume that is outside of solids
    BwNotes open_measured;           // whether open of a tile is
    BwMask liquid;                   // cells whose centre is inside
    BwMask known, front;             // scratch of extending phi into solids
    BwFluidTerms terms;
    BwDistance distance;
    BwLevelAdvector advector; // only where phi is advected by finite differences
    BwParticles particles;    // that keep phi true; only of particle_levelset
    bool has_particles, traces;
    BwFaceMasks faces;
    BwLevelFlow above;  // scratch
    BwVelocity carried; // m/s, scratch: the velocity advected along itself
    BwSurfaceTension tension;
    bool has_tension;
    BwGridStrain strain; // only of what is elastic
    BwLiquidSources sources;
    double last_dt;           // s, of the last step; 0: there was none
    bool must_measure_solids; // of all tiles: solids have moved
    int64_t steps;            // since the start
    double given;             // m^3, that should be inside: at the start, emitted, less what was removed
    double outside;           // m^3, that fills put beside, into the cells outside, and that is there yet
    BwLevelRegions regions;   // and where; only with a volume correction
    bool has_regions;
    BwLevelFronts fronts; // scratch, of a flow that the scene gives
    double divergence;    // 1/s, left by the last projection
} BwLevelset;

// m.
static inline float bw_levelset_band(const BwLevelset *level)
{
    return (float)BW_LEVELSET_BAND * level->flow.grid->cell_size;
}

// levelset_surface.c. Moves phi and its particles along the velocity over a step; makes phi a distance again,
// true to its particles, and extends it into solids; and labels the cells.
BwResult bw_levelset_move_surface(BwLevelset *level, double dt, BwStats *stats, BwError *err);
void bw_levelset_settle_surface(BwLevelset *level);

// Tells phi of the air that comes in through sides of the box, and in a flow that the scene gives notes where
// it comes off walls in a step.
BwResult bw_levelset_let_air_in(BwLevelset *level, double time, double dt, BwError *err);
void bw_levelset_label(BwLevelset *level);

// Every so many steps: seeds particles where the band lacks them.
BwResult bw_levelset_seed(BwLevelset *level, BwError *err);

// Finds the regions that have come of those before the step, or all anew.
BwResult bw_levelset_find_regions(BwLevelset *level, double dt, BwError *err);

// levelset_elastic.c. The force of the strain, once other forces have acted; the strain by the velocity of
// the step; and along it, before the surface is labelled anew.
void bw_levelset_push_elastically(BwLevelset *level, const BwLiquidForces *forces);
void bw_levelset_strain(BwLevelset *level, double dt);
void bw_levelset_carry_strain(BwLevelset *level, double dt);
double bw_levelset_elastic_energy(const BwLevelset *level); // J

// levelset_sources.c. Adds to phi what sources emit in a step and takes what sinks do, and keeps account of
// both, and of what passes sides of the box.
BwResult bw_levelset_exchange(BwLevelset *level, BwStats *stats, BwError *err);
void bw_levelset_account(BwLevelset *level, double dt, BwStats *stats);
void bw_levelset_account_outside(BwLevelset *level, BwStats *stats); // once the surface has moved

// What of BwSolverType is in levelset_state.c.
void bw_levelset_measure(void *solver, BwStats *stats);
BwResult bw_levelset_frame(void *solver, const BwRecord *kept, BwFrame *frame, BwError *err);
int bw_levelset_state_fields(void *solver, BwStateField list[BW_STATE_FIELDS_MAX]);
BwResult bw_levelset_check(void *solver, double dt, BwError *err);
BwResult bw_levelset_save(void *solver, BwRecord *record, BwError *err);
BwResult bw_levelset_load(void *solver, const BwRecord *record, BwError *err);
BwResult bw_levelset_agree(void *solver, const BwRecord *record, BwError *err);
