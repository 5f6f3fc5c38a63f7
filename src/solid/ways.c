// Detours are looked for at the middle of what is deep below the surface, and of what is left then.
#include "solid/ways.h"

#include "base/extremes.h"
#include "solid/shape_file.h"

#include <math.h>

// How deep below a surface a way may get that only cuts off a bulge of it, in cells.
static const float bulge = 0.04f;

// How far from a surface places outside are, and how near they may be, in cells.
static const float clearance = 0.01f, touching = 0.005f;

enum { PUSHES_MAX = 4, DETOURS_MAX = 5 };

BwVec3 bw_shape_slope_at(const BwShape *shape, BwVec3 point, float step, bool is_flat)
{
    static const BwVec3 corners[4] = {{1, -1, -1}, {-1, -1, 1}, {-1, 1, -1}, {1, 1, 1}};
    static const BwVec3 flat[3] = {{1, 0, 0}, {-0.5f, 0.8660254f, 0}, {-0.5f, -0.8660254f, 0}};
    BwVec3 slope = {0};
    float distance;
    if (!is_flat && bw_shape_slope(shape, point, &slope, &distance))
        return slope;
    for (int n = 0; n < (is_flat ? 3 : 4); n++) {
        BwVec3 corner = is_flat ? flat[n] : corners[n];
        distance = bw_shape_distance(shape, bw_add(point, bw_mul(corner, step)));
        slope = bw_add(slope, bw_mul(corner, distance));
    }
    return bw_length(slope) > 0.0f ? bw_normalize(slope) : bw_vec3(0.0f, 1.0f, 0.0f);
}

BwVec3 bw_shape_push_out(const BwShape *shape, BwVec3 point, float h, bool is_flat)
{
    for (int n = 0; n < PUSHES_MAX; n++) {
        float distance = bw_shape_distance(shape, point);
        if (distance >= touching * h)
            break;
        point = bw_add(point,
                       bw_mul(bw_shape_slope_at(shape, point, 0.1f * h, is_flat), clearance * h - distance));
    }
    return point;
}

// Where a straight way is below a surface: between two of its parts, and whether it is deeper than a bulge
// may reach.
typedef struct Below {
    float begin, end;
    bool is_deep;
} Below;

// The first part of a way that is deep below the surface, by steps of `bulge` at least.
static Below find_below(const BwShape *shape, BwVec3 from, BwVec3 to, float h)
{
    BwVec3 along = bw_sub(to, from);
    float length = bw_length(along);
    Below below = {0};
    for (float at = 0.0f; at < length;) {
        float clear = bw_shape_distance(shape, bw_add(from, bw_mul(along, at / length)));
        if (clear >= 0.0f && below.is_deep)
            break;
        below.is_deep |= clear < -bulge * h;
        at += bw_larger(fabsf(clear), bulge * h);
        *(clear >= 0.0f ? &below.begin : &below.end) = bw_smaller(at / length, 1.0f);
    }
    return below;
}

// Whether a way that starts and ends outside leads past a solid and not through it: where it is below the
// surface there is a detour by the nearest place outside. What thin walls part has none.
static bool leads_past(const BwShape *shape, BwVec3 from, BwVec3 to, float h, bool is_flat, int detours)
{
    Below below = find_below(shape, from, to, h);
    if (!below.is_deep || detours == 0)
        return !below.is_deep;
    BwVec3 deep = bw_add(from, bw_mul(bw_sub(to, from), 0.5f * (below.begin + below.end)));
    BwVec3 out = bw_shape_push_out(shape, deep, h, is_flat);
    return leads_past(shape, from, out, h, is_flat, detours - 1) &&
           leads_past(shape, out, to, h, is_flat, detours - 1);
}

bool bw_shape_way_leads_past(const BwShape *shape, BwVec3 from, BwVec3 to, float cell, bool is_flat)
{
    return leads_past(shape, from, to, cell, is_flat, DETOURS_MAX);
}
