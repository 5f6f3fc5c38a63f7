// The state of a liquid within chains of surface particles, shared by the files of its solver: chain.c (life
// and recipe) and chain_state.c (frames, stats, and keeping and taking back).
#pragma once

#include "flow/explicit_motion.h"
#include "flow/liquid_motion.h"
#include "operate/chain.h"
#include "operate/chain_frame.h"
#include "solvers/solver.h"

// Cells on each side of the surface in which phi is a distance; beyond them it is +-band.
enum { BW_CHAIN_BAND = 5 };

typedef struct BwChain {
    const BwSceneDef *scene;
    BwAllocator allocator;
    const volatile int *const *stop; // see BwSolverSetup
    BwFlow flow;
    BwChains chains;
    BwField phi;           // m, below 0 inside
    BwMask liquid;         // cells that hold liquid
    BwMask gaps;           // those of them that are mostly air
    BwField open;          // 1, of a cell's volume that is outside of solids; not of the explicit scheme
    BwNotes open_measured; // whether open of a tile is
    BwFluidTerms terms;
    BwFaceMasks faces;
    BwVelocity carried; // m/s, scratch: the velocity advected along itself; not of the explicit scheme
    BwExplicit scheme;  // of the explicit scheme
    BwField head;       // of the explicit scheme, m^2/s^2
    bool is_explicit;
    BwLiquidSources sources;
    BwChainFrame frame;
    double last_dt;           // s, of the last step; 0: there was none
    bool must_measure_solids; // of all tiles: solids have moved
    double given;             // m^2, that should be there: at the start, less what left the box
    double divergence;        // 1/s, left by the last solve
} BwChain;

// m.
static inline float bw_chain_band(const BwChain *chain)
{
    return (float)BW_CHAIN_BAND * chain->flow.grid->cell_size;
}

// chain.c. Finds the cells that hold liquid.
void bw_chain_label(BwChain *chain);

// What of BwSolverType is in chain_state.c.
void bw_chain_measure(void *solver, BwStats *stats);
BwResult bw_chain_frame(void *solver, const BwRecord *kept, BwFrame *frame, BwError *err);
int bw_chain_state_fields(void *solver, BwStateField list[BW_STATE_FIELDS_MAX]);
BwResult bw_chain_check(void *solver, double dt, BwError *err);
BwResult bw_chain_save(void *solver, BwRecord *record, BwError *err);
BwResult bw_chain_load(void *solver, const BwRecord *record, BwError *err);
BwResult bw_chain_agree(void *solver, const BwRecord *record, BwError *err);
