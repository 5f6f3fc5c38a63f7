// The surface wrapped around particles, on the nodes of the lattice: the sum of kernels turned into a
// distance, and deep inside, where there are few particles or none, the level set.
#pragma once

#include "mesh/kernels.h"
#include "mesh/node_block.h"

typedef struct BwWrap {
    BwAllocator allocator;
    const BwLevel *level;
    BwKernels kernels;
    float *values;       // cells from the surface, of the nodes of each tile of the kernels
    float (*ranges)[2];  // least and most of a tile
    BwNodeBlock *blocks; // one a worker
    float *floats;
    int64_t value_capacity, range_capacity, block_capacity, float_capacity;
} BwWrap;

// Takes the particles "water" of the level's frame.
BwResult bw_wrap_set(BwWrap *wrap, const BwLevel *level, BwPool *pool, BwError *err);
void bw_wrap_free(BwWrap *wrap);

// The values of a tile's nodes and of the first ones of the tiles after it, i fastest.
void bw_wrap_gather(const BwWrap *wrap, BwTileCoord tile, float *nodes);

// The range of what bw_wrap_gather gives, or a wider one.
void bw_wrap_range(const BwWrap *wrap, BwTileCoord tile, float range[2]);
