// Following a way by steps that the distance at both of their ends proves clear.
#include "advect/clear_part.h"

#include "base/extremes.h"
#include "solid/distance_bounds.h"
#include "solid/shape_file.h"
#include <math.h>

enum { STEPS_MAX = 200 };

// Where the distances at both ends of a stretch add up to more than its length, no surface can cross it,
// however thin; other stretches are halved until they are as short as `close`. The first try is a step that a
// way along a wall just passes.
float bw_clear_part(const BwShape *shape, BwVec3 from, BwVec3 to, float distance, float close)
{
    BwVec3 along = bw_sub(to, from);
    float length = bw_length(along), at = 0.0f;
    if (!(length < INFINITY)) // a solid that moves faster than numbers reach
        return 0.0f;
    for (int n = 0; n < STEPS_MAX && at < length; n++) {
        float step = bw_smaller(bw_larger(1.9f * distance, close), length - at);
        float next = bw_shape_distance_inline(shape, bw_on_way(from, along, (at + step) / length));
        while (!(distance + next > bw_safely * step) && step > close) {
            step *= 0.5f;
            next = bw_shape_distance_inline(shape, bw_on_way(from, along, (at + step) / length));
        }
        if (!(distance + next > bw_safely * step))
            return at / length;
        at += step;
        distance = next;
    }
    return at < length ? at / length : 1.0f;
}

bool bw_push_out(const BwShape *shape, BwVec3 *point, float h, float skin)
{
    float e = 0.1f * h, distance;
    BwVec3 slope, at = *point;
    BwDistanceBounds bounds = bw_shape_distance_bounds(shape, at);
    bool has_slope = bw_shape_slope(shape, at, &slope, &distance);
    // What is off by less than the skin, and inside for sure, is taken out for sure.
    if (!has_slope || !(bounds.high < 0.0f) || bounds.high - bounds.low > 1.5f * skin)
        distance = bw_shape_distance(shape, at);
    if (!(distance < 0.0f))
        return false;
    if (!has_slope)
        slope = bw_vec3(bw_shape_distance(shape, bw_add(at, bw_vec3(e, 0.0f, 0.0f))) - distance,
                        bw_shape_distance(shape, bw_add(at, bw_vec3(0.0f, e, 0.0f))) - distance,
                        bw_shape_distance(shape, bw_add(at, bw_vec3(0.0f, 0.0f, e))) - distance);
    *point = bw_add(at, bw_mul(bw_normalize(slope), skin - distance));
    return true;
}
