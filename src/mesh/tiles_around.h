// The tiles around a place, found together: those along x are side by side in a sorted list.
#pragma once

#include "grid/frame_check.h"

// Indices in a sorted list of the tile at a place and of its 26 neighbours, x fastest, then y, then z; -1 for
// those that are not there. The tile itself is the one in the middle, 13.
static inline void bw_tiles_around_in(const BwTileCoord *tiles, int32_t tile_count, BwTileCoord tile,
                                      int32_t found[27])
{
    for (int row = 0; row < 9; row++) {
        BwTileCoord first = {tile.x - 1, tile.y + row % 3 - 1, tile.z + row / 3 - 1};
        int32_t low = bw_tiles_first_from(tiles, tile_count, first);
        for (int n = 0; n < 3; n++) {
            BwTileCoord at = {first.x + n, first.y, first.z};
            bool is_there = low < tile_count && !bw_tile_is_before(at, tiles[low]);
            found[3 * row + n] = is_there ? low : -1;
            low += is_there;
        }
    }
}

static inline void bw_tiles_around(const BwFrame *frame, BwTileCoord tile, int32_t found[27])
{
    bw_tiles_around_in(frame->tiles, frame->tile_count, tile, found);
}
