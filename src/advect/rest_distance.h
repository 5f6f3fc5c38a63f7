// How near solids come that stand still, from the centres of the cells around them: measured once, and kept
// for as long as they stand.
#pragma once

#include "advect/path_solids.h"

typedef struct BwRestDistance {
    BwField low;   // m: no resting solid is nearer; negative inside
    BwField high;  // m: the only solid there is is no farther; infinite where there are others
    BwNotes key;   // what a tile was measured for; 0: nothing
    bool is_there; // without memory for it, nothing is kept
} BwRestDistance;

// Of a tile.
typedef struct BwRestBounds {
    const float *low, *high; // NULL: nothing was measured, or for other solids
} BwRestBounds;

BwResult bw_rest_distance_create(BwRestDistance *rest, BwGrid *grid, BwError *err);
void bw_rest_distance_destroy(BwRestDistance *rest);

// Finds which solids rest.
void bw_find_resting(BwPathSolids *solids);

// Measures a tile, unless it has been for the same solids.
void bw_rest_distance_measure(const BwRestDistance *rest, BwPathSolids solids, int32_t slot);

// What was measured of a tile.
BwRestBounds bw_rest_distance_of(const BwRestDistance *rest, BwPathSolids solids, int32_t slot);
