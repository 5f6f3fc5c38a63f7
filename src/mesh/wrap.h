// The surface wrapped around particles, on the nodes of the lattice: the sum of kernels turned into a
// distance, and deep inside, where there are few particles or none, the level set. Around thin liquid alone,
// if that is asked for: elsewhere the level set tells as much, at a small part of the cost.
#pragma once

#include "mesh/kernels.h"
#include "mesh/node_block.h"
#include "mesh/thin_liquid.h"

typedef struct BwWrap {
    BwAllocator allocator;
    const BwLevel *level;
    bool is_of_thin; // only around thin liquid
    BwWetCells wet;
    BwThinLiquid thin;
    BwKernels kernels;
    float *values;       // cells from the surface, of the nodes of each tile of the kernels
    float (*ranges)[2];  // least and most of a tile
    bool *is_told;       // of the tiles: kernels tell of some of its nodes
    BwNodeBlock *blocks; // one a worker
    float *floats;
    int64_t value_capacity, range_capacity, told_capacity, block_capacity, float_capacity;
} BwWrap;

// Takes the particles "water" of the level's frame.
BwResult bw_wrap_set(BwWrap *wrap, const BwLevel *level, bool is_of_thin, BwPool *pool, BwError *err);
void bw_wrap_free(BwWrap *wrap);

// The values of a tile's nodes and of the first ones of the tiles after it, i fastest. Around thin liquid
// alone, nodes that no kernels are near stay as they are.
void bw_wrap_gather(const BwWrap *wrap, BwTileCoord tile, float *nodes);

// The range of what bw_wrap_gather gives, or a wider one.
void bw_wrap_range(const BwWrap *wrap, BwTileCoord tile, float range[2]);
