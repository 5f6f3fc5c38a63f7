// The cells of a frame that particles are in, and what they hold.
#pragma once

#include "mesh/level.h"

typedef struct BwWetCells {
    BwAllocator allocator;
    int32_t *cell; // of each particle, among those of the frame's tiles, tile after tile; -1: in none
    float *filled; // of each such cell, the volume of its particles, in cells
    int64_t cell_capacity, filled_capacity;
} BwWetCells;

// The set "water" with its volumes; NULL, with the reason, where a frame has none.
const BwFrameParticles *bw_water_with_volume(const BwFrame *frame, BwError *err);

BwResult bw_wet_cells_set(BwWetCells *wet, const BwFrame *frame, const BwFrameParticles *water, BwPool *pool,
                          BwError *err);
void bw_wet_cells_free(BwWetCells *wet);
