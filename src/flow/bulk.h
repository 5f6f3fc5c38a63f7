// The bulk of a liquid whose surface is kept by something else, chains of particles or columns of water: the
// velocity and the pressure of all of its volume, by the explicit scheme of Foster and Metaxas 1996 or by a
// projection, and the cells that hold it. What the solvers of both share: their life, and the stages of a
// step that do not touch the surface.
#pragma once

#include "flow/explicit_motion.h"
#include "flow/liquid_motion.h"

typedef struct BwBulk {
    const BwSceneDef *scene;
    BwAllocator allocator;
    const volatile int *const *stop; // see BwSolverSetup
    BwFlow flow;
    float band;            // m, on each side of the surface in which phi is a distance; beyond it is +-band
    BwField phi;           // m, below 0 inside
    BwMask liquid;         // cells that hold liquid
    BwField open;          // 1, of a cell's volume that is outside of solids; not of the explicit scheme
    BwNotes open_measured; // whether open of a tile is
    BwFluidTerms terms;
    BwFaceMasks faces;
    BwVelocity carried; // m/s, scratch: the velocity advected along itself; not of the explicit scheme
    BwExplicit scheme;  // of the explicit scheme
    BwField head;       // of the explicit scheme, m^2/s^2
    bool is_explicit;
    BwLiquidSources sources;
    double last_dt;           // s, of the last step; 0: there was none
    bool must_measure_solids; // of all tiles: solids have moved
    double given;             // m^3, that should be there: at the start, emitted, less what was removed
    double divergence;        // 1/s, left by the last solve
} BwBulk;

typedef struct BwBulkDef {
    const BwSceneDef *scene;
    BwAllocator allocator;
    BwPool *pool;
    const volatile int *const *stop;
    int band; // cells
} BwBulkDef;

// What was made is destroyed by bw_bulk_destroy, also where it failed.
BwResult bw_bulk_create(BwBulk *bulk, const BwBulkDef *def, BwError *err);
void bw_bulk_destroy(BwBulk *bulk);

// The start: all of the box is awake; and what `initial.velocity` says, once fills have theirs.
BwResult bw_bulk_wake(BwBulk *bulk, BwError *err);
BwResult bw_bulk_fill_velocity(BwBulk *bulk, BwWatch watch, BwError *err);

// The shares of cells that solids leave open, NULL where cells are whole, before the surface is asked for
// labels; and once it has given them.
const BwField *bw_bulk_begin_labels(BwBulk *bulk);
void bw_bulk_end_labels(BwBulk *bulk);

// The start of a step: solids with their speed, and walls.
BwResult bw_bulk_aim(BwBulk *bulk, double time, double dt, BwError *err);

void bw_bulk_extend_velocity(BwBulk *bulk, int layers);

// The velocity at the end of a step; by the explicit scheme the head above Surface cells has been found.
BwResult bw_bulk_find_velocity(BwBulk *bulk, const BwLiquidForces *forces, BwStats *stats, BwError *err);

// Solids where the step leaves them.
BwResult bw_bulk_land_solids(BwBulk *bulk, double time, double dt, BwError *err);

// The velocity along itself; the explicit scheme has done so already.
void bw_bulk_carry_velocity(BwBulk *bulk, double dt);

// Its part of a solver's state.
int bw_bulk_state_fields(BwBulk *bulk, BwStateField list[BW_STATE_FIELDS_MAX]);
BwResult bw_bulk_save(BwBulk *bulk, BwRecord *record, BwError *err);
BwResult bw_bulk_load(BwBulk *bulk, const BwRecord *record, BwError *err);
BwResult bw_bulk_agree(BwBulk *bulk, const BwRecord *record, BwError *err);
BwResult bw_bulk_check(BwBulk *bulk, double dt, BwError *err);

// Its part of the stats; `volume` is what the surface holds, m^3.
void bw_bulk_measure(BwBulk *bulk, double volume, BwStats *stats);
