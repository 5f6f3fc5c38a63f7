// Straight ways in the frame of a shape: how much of one is clear of it, and the way out of it.
#pragma once

#include <billow/shape.h>

// So that rounding does not make a stretch clear that touches.
static const float bw_safely = 1.001f;

// What a lower bound of the distance is good for around where it was found. Distances to triangles are
// interpolated where they are far, and then up to a twentieth too long.
static inline float bw_sure_distance(float low)
{
    return low > 0.0f ? 0.95f * low : low;
}

static inline BwVec3 bw_on_way(BwVec3 from, BwVec3 along, float part)
{
    return bw_add(from, bw_mul(along, part));
}

// How much of the straight way from one point, at a distance from the shape, to another is clear of it: 1 if
// all. What comes as near as `close` is not told from what enters.
float bw_clear_part(const BwShape *shape, BwVec3 from, BwVec3 to, float distance, float close);

// Takes a point that is inside a shape out of it, by the slope of its distance, to `skin` above its surface;
// false where it is not inside. `h` is the size of a cell.
bool bw_push_out(const BwShape *shape, BwVec3 *point, float h, float skin);
