// A padded copy of one tile: its samples with a halo of four around, so that short traces read plain memory.
// Only for kernels whose reads wander; a plain stencil reads rows in place (grid/rows.h), which is three to
// five times faster.
//
// Beyond the grid's bounds the block repeats the last sample inside. For samples missing behind a plane that
// equals dropping them and renormalising the weights (grid/sample.h), so tiles along walls need no weights.
#pragma once

#include "grid/sample.h"

#define BW_HALO        4
#define BW_BLOCK       (BW_TILE + 2 * BW_HALO)
#define BW_BLOCK_LAYER (BW_BLOCK * BW_BLOCK)
#define BW_BLOCK_CELLS (BW_BLOCK * BW_BLOCK_LAYER)

// Layers of a block: 16, or 1 in 2-D.
static inline int bw_block_layers(const BwGrid *grid)
{
    return grid->layers == 1 ? 1 : BW_BLOCK;
}

// Index in the block of the tile's own first cell.
static inline int bw_block_origin(const BwGrid *grid)
{
    return BW_HALO + BW_BLOCK * BW_HALO + (grid->layers == 1 ? 0 : BW_BLOCK_LAYER * BW_HALO);
}

// Copies the values around a tile; missing tiles give the background. Room for BW_BLOCK_CELLS floats.
void bw_block_gather(const BwField *field, int32_t slot, float *restrict block);

// What a gathered block has beyond the bounds: a straight line through the last two samples before them, for
// a level set that meets the wall at an angle.
void bw_block_extrapolate(const BwField *field, int32_t slot, float *restrict block);

// 1 where a sample of that location is valid, else 0. Gives true when all are, and then leaves `weight`
// alone.
bool bw_block_gather_weight(const BwGrid *grid, const BwMask *valid, BwLocation location, int32_t slot,
                            float *restrict weight);
