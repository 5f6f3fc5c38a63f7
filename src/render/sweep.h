// Optical depth towards a far lamp, for all points of the smoke at once.
#pragma once

#include "render/volume.h"
#include <billow/vec.h>

typedef struct BwSweep {
    BwAllocator allocator;
    float *depth; // per brick, the 8^3 points it owns, x fastest
    int64_t depth_capacity;
    float *open; // likewise, the share of the lamp that solids leave
    int64_t open_capacity;
    int64_t *order; // bricks in layers from the lamp on
    int64_t order_capacity;
} BwSweep;

enum { BW_SWEEP_POINTS = BW_BRICK * BW_BRICK * BW_BRICK };

BwResult bw_sweep_run(BwSweep *sweep, const BwVolume *volume, BwPool *pool, BwVec3 direction, BwError *err);
void bw_sweep_free(BwSweep *sweep);
