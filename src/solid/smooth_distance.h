// Where the distance to triangles is smooth, it is known between the nodes of a grid to a hundredth of
// their spacing, without asking any triangle.
//
// Along an edge of length one, a value whose slope turns evenly by t is its linear value less x (1 - x) t /
// 2; the values before and after the edge tell t. The bends of a cell's twelve edges, each blended with those
// parallel to it, make its distance exact wherever it is a polynomial of second degree.
#pragma once

#include "solid/distance_grid.h"

typedef enum BwDistanceKind {
    BW_DISTANCE_ROUGH,  // triangles are asked
    BW_DISTANCE_SMOOTH, // bent, off by less than BW_SMOOTH_OFF spacings
    BW_DISTANCE_FAR,    // linear
} BwDistanceKind;

#define BW_SMOOTH_OFF 0.01f

// A place between eight nodes.
typedef struct BwBetween {
    int64_t first;   // the lowest node; also the number of the cell
    float corner[8]; // their values, x fastest
    float share[3];  // of the way from the low to the high ones
} BwBetween;

// Finds where a grid that is simple is smooth; others have nothing that is.
BwResult bw_smooth_distance_find(BwDistanceGrid *grid, const BwDistanceGridDef *def, BwError *err);

// The bent distance, and its slope, which has length one but for what it is off by.
float bw_smooth_distance_at(const BwDistanceGrid *grid, const BwBetween *between);
BwVec3 bw_smooth_distance_slope(const BwDistanceGrid *grid, const BwBetween *between);
