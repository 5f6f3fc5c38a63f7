// The level set of water in 2-D frames. Walls cut the water: behind them it goes on as before them. Where two
// sides of the scene are joined, it goes on as behind the other one.
#pragma once

#include <billow/frame.h>
#include <billow/scene.h>

// The cells between the walls, both inclusive; without walls, all of them.
typedef struct BwFlatWalls {
    int32_t first[2], last[2];
    bool is_joined[2]; // the sides of a periodic axis
} BwFlatWalls;

BwFlatWalls bw_flat_walls(const BwFrame *frame, const BwSceneDef *scene);

// The cell between the walls that stands for one along an axis: the nearest, or the same of the next period.
static inline int32_t bw_between_walls(const BwFlatWalls *walls, int axis, int32_t cell)
{
    int32_t first = walls->first[axis], last = walls->last[axis];
    if (cell >= first && cell <= last)
        return cell;
    if (!walls->is_joined[axis])
        return cell < first ? first : last;
    int32_t past = (cell - first) % (last - first + 1);
    return past < 0 ? last + 1 + past : first + past;
}

// Cells above the surface of the water of a 2-D frame with a field "phi", by the B-spline that pictures have;
// below 0 in water.
float bw_flat_water_distance(const BwFrame *frame, const BwFlatWalls *walls, const double place[2]);
