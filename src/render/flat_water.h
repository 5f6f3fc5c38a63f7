// The level set of water in 2-D frames. Walls cut the water: behind them it goes on as before them.
#pragma once

#include <billow/frame.h>

// The cells between the walls, both inclusive; without walls, all of them.
typedef struct BwFlatWalls {
    int32_t first[2], last[2];
} BwFlatWalls;

BwFlatWalls bw_flat_walls(const BwFrame *frame);

// The cell between the walls that is nearest to one along an axis.
static inline int32_t bw_between_walls(const BwFlatWalls *walls, int axis, int32_t cell)
{
    return cell < walls->first[axis]  ? walls->first[axis]
           : cell > walls->last[axis] ? walls->last[axis]
                                      : cell;
}

// Cells above the surface of the water of a 2-D frame with a field "phi", by the B-spline that pictures have;
// below 0 in water.
float bw_flat_water_distance(const BwFrame *frame, const double place[2]);
