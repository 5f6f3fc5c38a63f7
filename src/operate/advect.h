// Carrying values along a velocity: trace each sample's path back through the step and take what was there
// (row A3). Fields may be the velocity's own components.
#pragma once

#include "operate/solid_paths.h"

// Fields of one location that share their paths.
enum { BW_ADVECT_FIELDS = 2 };

typedef struct BwAdvectSet {
    const BwField *from[BW_ADVECT_FIELDS];
    BwField *to[BW_ADVECT_FIELDS];
    int count;
    const BwMask *valid; // which samples of `from` exist
    const BwMask *held;  // cells that a source fills up again after every step (operate/held.h); or NULL
    bool keeps_total;    // each tile's total is held to what passes through its sides
    bool air_enters; // a path that came in through an open side brings the background; else what is at the
                     // side
} BwAdvectSet;

enum { BW_ADVECT_SETS = 4 };

// How a set is carried from one end of its paths to the other.
typedef enum BwCarry { BW_CARRY_LINEAR, BW_CARRY_CUBIC, BW_CARRY_MACCORMACK } BwCarry;

// Paths, copies and per-worker memory; made once, kept by the solver. Nothing in it lives from step to step.
typedef struct BwAdvector BwAdvector;
// `lent` as for bw_paths_create.
BwResult bw_advector_create(BwAdvector **advector, BwGrid *grid, BwPool *pool, BwCarry carry, BwField *lent,
                            BwError *err);
void bw_advector_destroy(BwAdvector *advector);

// Computes `to` in all live cells. Paths that leave the box end at its side, those that meet one of the
// solids (as they move over the step) on its surface. Where no sample is around the end of a path, the value
// stays what it was.
void bw_advect(BwAdvector *advector, const BwDomain *domain, const BwVelocity *velocity, BwPathSolids solids,
               const BwAdvectSet *sets, int set_count, float dt);
