// The state of a liquid within chains of surface particles, shared by the files of its solver: chain.c (life
// and recipe) and chain_state.c (frames, stats, and keeping and taking back).
#pragma once

#include "flow/bulk.h"
#include "operate/chain.h"
#include "operate/chain_frame.h"
#include "solvers/solver.h"

// Cells on each side of the surface in which phi is a distance; beyond them it is +-band.
enum { BW_CHAIN_BAND = 5 };

typedef struct BwChain {
    BwBulk bulk;
    BwChains chains;
    BwMask gaps; // cells of liquid that are mostly air
    BwChainFrame frame;
} BwChain;

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
