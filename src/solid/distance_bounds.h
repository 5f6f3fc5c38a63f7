// Bounds of a distance, for questions that a bound answers: is it farther than this, is it inside. They cost
// some reads where the distance to triangles costs a walk through a tree.
#pragma once

#include "solid/plain_distance.h"

typedef struct BwDistanceBounds {
    float low, high;
} BwDistanceBounds;

// Bounds of bw_shape_distance at a point: low <= distance <= high. Both are the distance itself for shapes
// that are measured by a formula.
BwDistanceBounds bw_shape_distance_bounds_any(const BwShape *shape, BwVec3 point);

static inline BwDistanceBounds bw_shape_distance_bounds(const BwShape *shape, BwVec3 point)
{
    if (shape->kind != BW_SHAPE_BOX && shape->kind != BW_SHAPE_SPHERE)
        return bw_shape_distance_bounds_any(shape, point);
    float distance = shape->kind == BW_SHAPE_BOX ? bw_box_distance(shape->a, shape->b, point)
                                                 : bw_sphere_distance(shape->a, shape->radius, point);
    return (BwDistanceBounds){distance, distance};
}

// bw_shape_distance, inline where it is plain.
static inline float bw_shape_distance_inline(const BwShape *shape, BwVec3 point)
{
    return shape->kind == BW_SHAPE_BOX ? bw_box_distance(shape->a, shape->b, point)
                                       : bw_shape_distance(shape, point);
}
