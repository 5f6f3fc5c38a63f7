// Carrying values along a velocity: trace each sample's path back through the step and take what was there
// (row A3). The path is a second-order Runge-Kutta one; a field and the velocity may be one and the same.
#pragma once

#include "operate/domain.h"

// Fields of one location that share their paths.
enum { BW_ADVECT_FIELDS = 2 };

typedef struct BwAdvectSet {
    const BwField *from[BW_ADVECT_FIELDS];
    BwField *to[BW_ADVECT_FIELDS];
    BwField *carried[BW_ADVECT_FIELDS]; // scratch for MacCormack's correction; NULL: plain semi-Lagrangian
    BwCorners *corners;                 // scratch for it too, one for the set
    int count;
    const BwMask *valid; // which samples of `from` exist
    bool is_cubic;       // monotone cubic interpolation instead of trilinear; not with MacCormack
    bool keeps_total;    // MacCormack's limiter gives back what it adds or takes
    bool air_enters; // a path that came in through an open side brings the background; else what is at the
                     // side
} BwAdvectSet;

// All sets of a step in one go, so that the velocity around a tile is gathered once.
enum { BW_ADVECT_SETS = 4 };

// Per-worker memory for the padded copies; made once, kept by the solver.
typedef struct BwAdvectScratch BwAdvectScratch;
BwResult bw_advect_scratch_create(BwAdvectScratch **scratch, const BwAllocator *allocator, BwPool *pool,
                                  BwError *err);
void bw_advect_scratch_destroy(BwAdvectScratch *scratch);

// Computes `to` in all live cells. Paths that leave the box end at its side. Where no sample is around the
// end of a path, the value stays what it was.
void bw_advect(BwAdvectScratch *scratch, const BwDomain *domain, const BwVelocity *velocity,
               const BwAdvectSet *sets, int set_count, float dt);
