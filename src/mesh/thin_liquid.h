// Where liquid is thinner than the level set can show: sheets, threads, films and drops that no body of
// liquid is near.
#pragma once

#include "mesh/node_block.h"
#include "mesh/wet_cells.h"

typedef struct BwThinLiquid {
    BwAllocator allocator;
    uint64_t (
        *cells)[8]; // of the frame's tiles: cells that hold particles where the liquid is thin; as `live`
    uint64_t (*deep)[8]; // deep inside bodies of liquid
    int64_t cell_capacity, deep_capacity;
} BwThinLiquid;

// How sure it is that a body of liquid is near each cell of a block's tile: 1, or 0 where the liquid is thin.
void bw_find_bulk(const BwNodeBlock *block, float bulk[BW_TILE * BW_TILE * BW_TILE]);

// Marks the cells of the level's frame that hold particles and are not near a body.
BwResult bw_thin_liquid_set(BwThinLiquid *thin, const BwLevel *level, const BwWetCells *wet, BwPool *pool,
                            BwError *err);
void bw_thin_liquid_free(BwThinLiquid *thin);

// The cells of a tile that have a marked one within so many cells, 8 at most, along each axis.
void bw_thin_liquid_around(const BwThinLiquid *thin, const BwFrame *frame, BwTileCoord tile, int reach,
                           uint64_t around[8]);
