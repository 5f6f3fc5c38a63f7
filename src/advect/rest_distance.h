// How near solids come that stand still, from the centres of the cells around them: measured once, and kept
// for as long as they stand.
#pragma once

#include "advect/path_solids.h"
#include <math.h>

// Of a cell that is, with its faces, so deep in the only solid that no path to it counts.
#define BW_REST_DEEP (-INFINITY)

typedef struct BwRestDistance {
    BwField low;   // m: no resting solid is nearer; negative inside
    BwNotes key;   // what a tile was measured for; 0: nothing
    bool is_there; // without memory for it, nothing is kept
} BwRestDistance;

BwResult bw_rest_distance_create(BwRestDistance *rest, BwGrid *grid, BwError *err);
void bw_rest_distance_destroy(BwRestDistance *rest);

// Finds which solids rest.
void bw_find_resting(BwPathSolids *solids);

// Measures a tile, unless it has been for the same solids.
void bw_rest_distance_measure(const BwRestDistance *rest, BwPathSolids solids, int32_t slot);

// What was measured of a tile; NULL: nothing, or for other solids.
const float *bw_rest_distance_of(const BwRestDistance *rest, BwPathSolids solids, int32_t slot);
