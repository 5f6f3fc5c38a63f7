// Bounds of a distance, for questions that a bound answers: is it farther than this, is it inside. They cost
// some reads where the distance to triangles costs a walk through a tree.
#pragma once

#include <billow/shape.h>

typedef struct BwDistanceBounds {
    float low, high;
} BwDistanceBounds;

// Bounds of bw_shape_distance at a point: low <= distance <= high. Both are the distance itself for shapes
// that are measured by a formula.
BwDistanceBounds bw_shape_distance_bounds(const BwShape *shape, BwVec3 point);
