// Walking a ray from brick to brick (Amanatides and Woo 1987, on two levels), and linear interpolation inside
// one. The walk counts bricks in whole numbers, so rounding can neither stall it nor make it skip one.
#pragma once

#include "base/extremes.h"
#include "render/volume.h"

#include <math.h>
#include <string.h>

typedef struct BwRayWalk {
    const BwBrickMap *map;
    float origin[3], direction[3], inverse[3]; // lattice units
    int32_t place[3];                          // of the brick at t
    float t, t_end;
} BwRayWalk;

// Starts at the first place in [t_min, t_max] where there may be bricks. False when there is none.
static inline bool bw_ray_walk_begin(BwRayWalk *walk, const BwBrickMap *map, const float origin[3],
                                     const float direction[3], float t_min, float t_max)
{
    walk->map = map;
    for (int a = 0; a < 3; a++) {
        walk->origin[a] = origin[a];
        walk->direction[a] = fabsf(direction[a]) > 1e-9f ? direction[a] : 1e-9f;
        walk->inverse[a] = 1.0f / walk->direction[a];
        if (map->low[a] > map->high[a])
            return false;
        float t_low = ((float)(BW_BRICK * map->low[a]) - origin[a]) * walk->inverse[a];
        float t_high = ((float)(BW_BRICK * (map->high[a] + 1)) - origin[a]) * walk->inverse[a];
        t_min = bw_larger(t_min, bw_smaller(t_low, t_high));
        t_max = bw_smaller(t_max, bw_larger(t_low, t_high));
    }
    if (!(t_min < t_max))
        return false;
    walk->t = t_min;
    walk->t_end = t_max;
    for (int a = 0; a < 3; a++) {
        float at = floorf((origin[a] + walk->direction[a] * t_min) / (float)BW_BRICK);
        at = bw_smaller(bw_larger(at, (float)map->low[a]), (float)map->high[a]);
        walk->place[a] = (int32_t)at;
    }
    return true;
}

// Leaves the cube of bricks low to low + side - 1 that the walk is in: moves on to the brick behind its far
// side.
static inline void bw_ray_walk_leave(BwRayWalk *walk, const int32_t low[3], int32_t side)
{
    int axis = 0;
    float t = INFINITY;
    for (int a = 0; a < 3; a++) {
        int32_t bound = walk->direction[a] > 0.0f ? low[a] + side : low[a];
        float t_bound = ((float)(BW_BRICK * bound) - walk->origin[a]) * walk->inverse[a];
        if (t_bound < t) {
            t = t_bound;
            axis = a;
        }
    }
    walk->t = bw_larger(walk->t, t);
    if (side > 1)
        for (int a = 0; a < 3; a++) {
            float at = floorf((walk->origin[a] + walk->direction[a] * walk->t) / (float)BW_BRICK);
            at = bw_smaller(bw_larger(at, (float)low[a]), (float)(low[a] + side - 1));
            walk->place[a] = (int32_t)at;
        }
    walk->place[axis] = walk->direction[axis] > 0.0f ? low[axis] + side : low[axis] - 1;
}

// The next brick and the part of the ray inside it, or -1 at the end.
static inline int32_t bw_ray_walk_next(BwRayWalk *walk, float *t_in, float *t_out)
{
    const BwBrickMap *map = walk->map;
    const BwRegion *region = NULL;
    while (walk->t < walk->t_end) {
        const int32_t *place = walk->place;
        for (int a = 0; a < 3; a++)
            if (place[a] < map->low[a] || place[a] > map->high[a])
                return -1;
        const int32_t at[3] = {place[0] >> 3, place[1] >> 3, place[2] >> 3};
        if (region == NULL || region->place[0] != at[0] || region->place[1] != at[1] ||
            region->place[2] != at[2])
            region = bw_brick_map_region(map, at[0], at[1], at[2]);
        if (region == NULL) {
            bw_ray_walk_leave(walk, (int32_t[3]){at[0] * BW_REGION, at[1] * BW_REGION, at[2] * BW_REGION},
                              BW_REGION);
            continue;
        }
        int32_t brick = region->bricks[bw_brick_slot(place)];
        *t_in = walk->t;
        bw_ray_walk_leave(walk, (int32_t[3]){place[0], place[1], place[2]}, 1);
        *t_out = bw_smaller(walk->t, walk->t_end);
        if (brick >= 0)
            return brick;
    }
    return -1;
}

// Where a place on the ray lies in a brick: the index of its low corner and the way to the next.
typedef struct BwInBrick {
    int index;
    float x, y, z;
} BwInBrick;

// t must lie between the t_in and t_out of the brick: rounding may put it a hair outside, no more.
static inline BwInBrick bw_in_brick(const BwRayWalk *walk, const int32_t place[3], float t)
{
    float p[3];
    int n[3];
    for (int a = 0; a < 3; a++) {
        p[a] = walk->origin[a] + walk->direction[a] * t - (float)(BW_BRICK * place[a]);
        n[a] = (int)p[a] < BW_BRICK ? (int)p[a] : BW_BRICK - 1;
        p[a] -= (float)n[a];
    }
    return (BwInBrick){(n[2] * BW_BRICK_SIDE + n[1]) * BW_BRICK_SIDE + n[0], p[0], p[1], p[2]};
}

static inline float bw_brick_sample(const float *points, BwInBrick at)
{
    const float *a = points + at.index, *b = a + BW_BRICK_SIDE;
    const float *c = a + BW_BRICK_SIDE * BW_BRICK_SIDE, *d = c + BW_BRICK_SIDE;
    float low = a[0] + at.x * (a[1] - a[0]), low_up = b[0] + at.x * (b[1] - b[0]);
    float high = c[0] + at.x * (c[1] - c[0]), high_up = d[0] + at.x * (d[1] - d[0]);
    low += at.y * (low_up - low);
    high += at.y * (high_up - high);
    return low + at.z * (high - low);
}

// Two points that lie beside each other.
static inline BwFloat8 bw_load_pair(const BwFloat4 *points)
{
    BwFloat8 pair;
    memcpy(&pair, points, sizeof pair);
    return pair;
}

// The light between a point and the seven after it, x, y and z of the way along each axis.
static inline BwFloat4 bw_sample4(const BwFloat4 *point, float x, float y, float z)
{
    const BwFloat4 *above = point + BW_BRICK_SIDE * BW_BRICK_SIDE;
    BwFloat8 low = bw_load_pair(point), low_up = bw_load_pair(point + BW_BRICK_SIDE);
    BwFloat8 high = bw_load_pair(above), high_up = bw_load_pair(above + BW_BRICK_SIDE);
    low += y * (low_up - low);
    high += y * (high_up - high);
    low += z * (high - low);
    BwFloat4 left = __builtin_shufflevector(low, low, 0, 1, 2, 3);
    BwFloat4 right = __builtin_shufflevector(low, low, 4, 5, 6, 7);
    return left + x * (right - left);
}
