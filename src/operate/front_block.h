// Tiles of phi with the cells around them, for what looks at a thin flame's front.
#pragma once

#include "grid/block.h"

// From a sample of a block to the next along an axis.
static const int bw_front_stride[3] = {1, BW_BLOCK, BW_BLOCK_LAYER};

// Whether any cell of a tile is nearer to the front than phi tells beyond its band.
static inline bool bw_front_is_near(const BwGrid *grid, const float *phi)
{
    for (int n = 1; n < grid->tile_cells; n++)
        if (phi[n] != phi[0])
            return true;
    return false;
}

// The sample of a tile's cell in a block whose own first cell is at `origin`.
static inline const float *bw_cell_in_block(const float *origin, int n)
{
    return origin + (n & 7) + BW_BLOCK * (n >> 3 & 7) + BW_BLOCK_LAYER * (n >> 6);
}
