// Distances to the two plainest shapes, inline for who asks millions of times a step.
#pragma once

#include "base/extremes.h"
#include <billow/shape.h>

// From two or three signed distances to pairs of parallel sides to the distance to the box they make.
static inline float bw_corner_distance(float x, float y, float z)
{
    BwVec3 outside = bw_vec3(bw_larger(x, 0.0f), bw_larger(y, 0.0f), bw_larger(z, 0.0f));
    return bw_length(outside) + bw_smaller(bw_larger(x, bw_larger(y, z)), 0.0f);
}

// Written with the sides and not with a centre, so that sides may be infinite.
static inline float bw_box_distance(BwVec3 low, BwVec3 high, BwVec3 p)
{
    return bw_corner_distance(bw_larger(low.x - p.x, p.x - high.x), bw_larger(low.y - p.y, p.y - high.y),
                              bw_larger(low.z - p.z, p.z - high.z));
}

static inline float bw_sphere_distance(BwVec3 center, float radius, BwVec3 p)
{
    return bw_length(bw_sub(p, center)) - radius;
}
