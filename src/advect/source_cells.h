// Cells that a source holds at its value, and what that means for what is advected out of them.
//
// At the surface of a source a scheme of second order sees the mean of the cells on its two sides. As the
// source is filled up again after every step, too little comes out of it until the first cell is full: half a
// cell of smoke in all, and a plume that starts the later the coarser the grid. What comes out of a source
// has the source's own value, and linear interpolation between it and the cell beside it advects just that.
#pragma once

#include "advect/interpolation.h"

// `cell` counts from the tile's first one and is at most a tile away from it.
static inline bool bw_is_in_source(const BwGrid *grid, const BwMask *sources, int32_t slot, const int cell[3])
{
    int place = 0, side[3] = {0};
    for (int a = 0; a < grid->dimension; a++) {
        side[a] = (cell[a] >> 3 > 0) - (cell[a] < 0);
        place += (cell[a] & 7) << 3 * a;
    }
    int32_t tile = grid->tiles[slot].neighbour[bw_neighbour(side[0], side[1], side[2])];
    return bw_bit(bw_mask_tile(sources, tile), place);
}

// Which of the tile's places read a source cell. They must be near ones of cells.
void bw_find_from_source(bool is_from_source[BW_TILE_CELLS_MAX], const BwGrid *grid, const BwMask *sources,
                         const BwBlockPoints *places, int32_t slot);
