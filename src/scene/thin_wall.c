// How thick a solid is behind its surface: from points of a lattice just outside of it, straight in.
#include "scene/thin_wall.h"

#include "scene/extent.h"
#include <billow/shape.h>

#include <math.h>

// Points of the lattice along each axis, and points near the surface that are enough to tell.
enum { POINTS = 40, NEAR_LEAST = 16 };

// The way out of the shape, of length 1.
static BwVec3 way_out(const BwShape *shape, BwVec3 point, float step, int dimension)
{
    BwVec3 slope = {0.0f, 0.0f, 0.0f};
    const BwVec3 along[3] = {{step, 0.0f, 0.0f}, {0.0f, step, 0.0f}, {0.0f, 0.0f, step}};
    float *to[3] = {&slope.x, &slope.y, &slope.z};
    for (int a = 0; a < dimension; a++)
        *to[a] = bw_shape_distance(shape, bw_add(point, along[a])) -
                 bw_shape_distance(shape, bw_sub(point, along[a]));
    return bw_normalize(slope);
}

double bw_shape_part_thin(const BwShape *shape, float depth, int dimension)
{
    BwBox box = bw_shape_bounds(shape);
    if (dimension == 2)
        box.low.z = box.high.z = 0.0f;
    if (!bw_box_is_finite(box))
        return 0.0;
    BwVec3 size = bw_sub(box.high, box.low);
    float step = fmaxf(size.x, fmaxf(size.y, size.z)) / (float)(POINTS - 2);
    BwVec3 rim = {step, step, dimension == 3 ? step : 0.0f};
    box = (BwBox){bw_sub(box.low, rim), bw_add(box.high, rim)};
    size = bw_sub(box.high, box.low);
    int near = 0, thin = 0, layers = dimension == 3 ? POINTS : 1;
    for (int n = 0; n < POINTS * POINTS * layers; n++) {
        BwVec3 share = {((float)(n % POINTS) + 0.5f) / POINTS, ((float)(n / POINTS % POINTS) + 0.5f) / POINTS,
                        ((float)(n / POINTS / POINTS) + 0.5f) / (float)layers};
        BwVec3 point = bw_add(box.low, bw_vec3(share.x * size.x, share.y * size.y, share.z * size.z));
        float distance = bw_shape_distance(shape, point);
        if (!(distance > 0.0f && distance < step))
            continue;
        BwVec3 in = bw_mul(way_out(shape, point, 0.1f * step, dimension), -(distance + depth));
        near++;
        thin += bw_shape_distance(shape, bw_add(point, in)) > 0.1f * depth;
    }
    return near >= NEAR_LEAST ? (double)thin / near : 0.0;
}
