// Finds a tile in a list of coordinates, as levels of multigrid keep them.
#pragma once

#include "grid/grid.h"

// The place of a coordinate in a list that ascends from its entry 1 on, or 0.
static inline int32_t bw_find_tile(const BwTileCoord *coords, int32_t count, BwTileCoord wanted)
{
    int32_t low = 1, high = count;
    while (low <= high) {
        int32_t middle = low + (high - low) / 2;
        int order = bw_tile_coord_compare(coords[middle], wanted);
        if (order == 0)
            return middle;
        if (order < 0)
            low = middle + 1;
        else
            high = middle - 1;
    }
    return 0;
}
