// The arithmetic of particles in a velocity, over lanes of particles (grid/lanes.h): the velocity and its
// gradient at their places, and Ralston's method of order three (Ralston 1962) along it. All of it reads
// padded blocks (grid/block.h); a lane that comes to a place outside of them is given up, and told.
//
// Invariant: a lane has the bits that the same formulas give for a particle alone.
#pragma once

#include "grid/block.h"
#include "grid/lanes.h"
#include "grid/straightness.h"

// Cells that a part of a step crosses at most, and the most parts.
#define BW_PATH_PART_CELLS 1.5f
#define BW_PATH_PARTS_MAX  64

// A velocity around a tile.
typedef struct BwVelocityBlocks {
    float component[3][BW_BLOCK_CELLS];
} BwVelocityBlocks;

// What moves the particles of a tile.
typedef struct BwPathDef {
    float cells_per_speed; // dt / h
    float low[3], high[3]; // the room of the tile's particles, in which no side of the box is in the way
    const BwVelocityBlocks *path, *shift; // either may be NULL; see BwAdvance
} BwPathDef;

// What follows is compiled once for space and once for the plane, with `axes` as a constant.
#define BW_FOR_AXES static inline __attribute__((always_inline))

// Between which samples of a block places are. Along an axis samples are at faces, [0], or at the centres of
// cells, [1].
typedef struct BwLaneStencil {
    BwLaneBits low[2][3]; // steps in the block to the low one of the two
    BwLanes part[2][3];   // how far past it, in cells
    BwLaneBits is_inside; // all samples lie in the block; else 0 stands for the place
} BwLaneStencil;

BW_FOR_AXES void bw_lane_stencil(const BwLanes place[3], int axes, BwLaneStencil *stencil)
{
    BwLaneBits is_inside = bw_lane_bits(~(uint64_t)0);
    for (int a = 0; a < axes; a++)
        for (int half = 0; half < 2; half++) {
            BwLanes at = place[a] - (half == 0 ? 0.0f : 0.5f) + (float)BW_HALO;
            BwLaneBits is_here = (at >= 0.0f) & (at < (float)(BW_BLOCK - 1));
            at = bw_lanes_keep(at, is_here);
            BwLaneBits low = __builtin_convertvector(at, BwLaneBits);
            stencil->part[half][a] = at - __builtin_convertvector(low, BwLanes);
            stencil->low[half][a] = low << (4 * a);
            is_inside &= is_here;
        }
    stencil->is_inside = is_inside;
}
_Static_assert(BW_BLOCK == 1 << 4, "steps in a block are shifts by four bits");

// The samples at `corner` of a block and their neighbours along x. Pairs of them are loaded at once, which
// costs half of what single loads do, and gathers cost more than those.
#if BW_LANES >= 4
typedef float BwSamplePair __attribute__((vector_size(8)));
typedef float BwTwoPairs __attribute__((vector_size(16)));

static inline BwTwoPairs bw_load_two_pairs(const float *one, const float *other)
{
    BwSamplePair low, high;
    memcpy(&low, one, sizeof low);
    memcpy(&high, other, sizeof high);
    return __builtin_shufflevector(low, high, 0, 1, 2, 3);
}
#endif

static inline void bw_load_pairs(const float *block, const int32_t *corner, BwLanes *near, BwLanes *far)
{
#if BW_LANES >= 4
    BwTwoPairs two[BW_LANES / 2];
    for (int n = 0; n < BW_LANES / 2; n++)
        two[n] = bw_load_two_pairs(block + corner[2 * n], block + corner[2 * n + 1]);
#endif
#if BW_LANES == 16
    typedef float Eight __attribute__((vector_size(32)));
    Eight a = __builtin_shufflevector(two[0], two[2], 0, 1, 2, 3, 4, 5, 6, 7),
          b = __builtin_shufflevector(two[4], two[6], 0, 1, 2, 3, 4, 5, 6, 7),
          c = __builtin_shufflevector(two[1], two[3], 0, 1, 2, 3, 4, 5, 6, 7),
          d = __builtin_shufflevector(two[5], two[7], 0, 1, 2, 3, 4, 5, 6, 7);
    BwLanes even = __builtin_shufflevector(a, b, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15),
            odd = __builtin_shufflevector(c, d, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
    *near = __builtin_shufflevector(even, odd, 0, 2, 16, 18, 4, 6, 20, 22, 8, 10, 24, 26, 12, 14, 28, 30);
    *far = __builtin_shufflevector(even, odd, 1, 3, 17, 19, 5, 7, 21, 23, 9, 11, 25, 27, 13, 15, 29, 31);
#elif BW_LANES == 8
    BwLanes even = __builtin_shufflevector(two[0], two[2], 0, 1, 2, 3, 4, 5, 6, 7),
            odd = __builtin_shufflevector(two[1], two[3], 0, 1, 2, 3, 4, 5, 6, 7);
    *near = __builtin_shufflevector(even, odd, 0, 2, 8, 10, 4, 6, 12, 14);
    *far = __builtin_shufflevector(even, odd, 1, 3, 9, 11, 5, 7, 13, 15);
#elif BW_LANES == 4
    *near = __builtin_shufflevector(two[0], two[1], 0, 2, 4, 6);
    *far = __builtin_shufflevector(two[0], two[1], 1, 3, 5, 7);
#else
    (*near)[0] = block[corner[0]];
    (*far)[0] = block[corner[0] + 1];
#endif
}

static inline BwLanes bw_lanes_mix(BwLanes a, BwLanes b, BwLanes part)
{
    return a + (b - a) * part;
}

// The velocity component of an axis, and how it changes along each axis, a cell. In the plane the layer is
// all.
BW_FOR_AXES BwLanes bw_lane_component(const float *block, const BwLaneStencil *stencil, int axis, int axes,
                                      BwLanes slope[3])
{
    BwLanes x = stencil->part[axis != 0][0], y = stencil->part[axis != 1][1], near[4], far[4];
    BwLaneBits step = stencil->low[axis != 0][0] + stencil->low[axis != 1][1];
    if (axes == 3)
        step += stencil->low[axis != 2][2];
    _Alignas(BW_ALIGN) int32_t corner[BW_LANES];
    memcpy(corner, &step, sizeof corner);
    for (int row = 0; row < (axes == 3 ? 4 : 2); row++)
        bw_load_pairs(block + BW_BLOCK * (row & 1) + BW_BLOCK_LAYER * (row >> 1), corner, &near[row],
                      &far[row]);
    BwLanes low = bw_lanes_mix(near[0], far[0], x), high = bw_lanes_mix(near[1], far[1], x);
    BwLanes first = bw_lanes_mix(low, high, y);
    slope[0] = bw_lanes_mix(far[0] - near[0], far[1] - near[1], y);
    slope[1] = high - low;
    if (axes == 2)
        return first;
    BwLanes z = stencil->part[axis != 2][2];
    BwLanes low_beyond = bw_lanes_mix(near[2], far[2], x), high_beyond = bw_lanes_mix(near[3], far[3], x);
    BwLanes beyond = bw_lanes_mix(low_beyond, high_beyond, y);
    slope[0] = bw_lanes_mix(slope[0], bw_lanes_mix(far[2] - near[2], far[3] - near[3], y), z);
    slope[1] = bw_lanes_mix(slope[1], high_beyond - low_beyond, z);
    slope[2] = beyond - first;
    return bw_lanes_mix(first, beyond, z);
}

// The velocity at places, m/s; gives the lanes whose samples all lie in the blocks. Not inlined: a path asks
// for it several times.
BW_FOR_AXES BwLaneBits bw_lane_velocity_of(const BwVelocityBlocks *blocks, const BwLanes place[3], int axes,
                                           BwLanes velocity[3])
{
    BwLaneStencil stencil;
    BwLanes unused[3];
    bw_lane_stencil(place, axes, &stencil);
    for (int a = 0; a < axes; a++)
        velocity[a] = bw_lane_component(blocks->component[a], &stencil, a, axes, unused);
    return stencil.is_inside;
}

static __attribute__((noinline)) BwLaneBits bw_lane_velocity_in_space(const BwVelocityBlocks *blocks,
                                                                      const BwLanes place[3],
                                                                      BwLanes velocity[3])
{
    return bw_lane_velocity_of(blocks, place, 3, velocity);
}

static __attribute__((noinline)) BwLaneBits bw_lane_velocity_in_plane(const BwVelocityBlocks *blocks,
                                                                      const BwLanes place[3],
                                                                      BwLanes velocity[3])
{
    return bw_lane_velocity_of(blocks, place, 2, velocity);
}

BW_FOR_AXES BwLaneBits bw_lane_velocity(const BwVelocityBlocks *blocks, const BwLanes place[3], int axes,
                                        BwLanes velocity[3])
{
    return axes == 3 ? bw_lane_velocity_in_space(blocks, place, velocity)
                     : bw_lane_velocity_in_plane(blocks, place, velocity);
}

// As bw_straightness.
static inline BwLanes bw_lanes_straightness(BwLanes differences)
{
    BwLanes part =
        (BW_CURVED_DIFFERENCES - differences) * (1.0f / (BW_CURVED_DIFFERENCES - BW_STRAIGHT_DIFFERENCES));
    return bw_lanes_larger(bw_lanes_smaller(part, bw_lanes_of(1.0f)), bw_lanes_of(0.0f));
}

// A group of particles, a lane each.
typedef struct BwPathLanes {
    BwLanes place[3];    // cells, from the tile
    BwLaneBits is_whole; // none of its places was outside of the blocks or of the room
} BwPathLanes;

BW_FOR_AXES BwLaneBits bw_lanes_in_room(const BwPathDef *def, const BwLanes place[3], int axes)
{
    BwLaneBits is_outside = {0};
    for (int a = 0; a < axes; a++)
        is_outside |= (place[a] < def->low[a]) | (place[a] > def->high[a]);
    return ~is_outside;
}

// In how many parts of a step a path goes that starts with `way`, cells. Lanes of more than
// BW_PATH_PARTS_MAX, and those of no number, are given up.
BW_FOR_AXES BwLaneBits bw_lane_parts(const BwLanes way[3], int axes, BwLaneBits *is_whole)
{
    BwLanes longest = {0};
    for (int a = 0; a < axes; a++) {
        *is_whole &= way[a] == way[a];
        longest = bw_lanes_larger(longest, bw_lanes_larger(way[a], -way[a]));
    }
    *is_whole &= longest <= BW_PATH_PART_CELLS * (BW_PATH_PARTS_MAX - 1);
    BwLanes ratio = bw_lanes_keep(longest / BW_PATH_PART_CELLS, *is_whole);
    BwLaneBits parts = __builtin_convertvector(ratio, BwLaneBits);
    parts -= __builtin_convertvector(parts, BwLanes) < ratio; // rounds up: true is -1
    BwLaneBits is_long = longest > BW_PATH_PART_CELLS;
    return (parts & is_long) | (1 & ~is_long);
}

// One part of a step, `scale` seconds over the size of a cell, from where the velocity is `speed`; gives the
// lanes that read nothing outside of the blocks.
BW_FOR_AXES BwLaneBits bw_lane_move_part(const BwVelocityBlocks *blocks, int axes, const BwLanes speed[3],
                                         BwLanes scale, BwLanes place[3])
{
    BwLanes first[3], second[3], third[3], at[3];
    for (int a = 0; a < axes; a++) {
        first[a] = scale * speed[a];
        at[a] = place[a] + 0.5f * first[a];
    }
    BwLaneBits is_inside = bw_lane_velocity(blocks, at, axes, second);
    for (int a = 0; a < axes; a++) {
        second[a] = scale * second[a];
        at[a] = place[a] + 0.75f * second[a];
    }
    is_inside &= bw_lane_velocity(blocks, at, axes, third);
    for (int a = 0; a < axes; a++) {
        third[a] = scale * third[a];
        place[a] += (2.0f * first[a] + 3.0f * second[a] + 4.0f * third[a]) * (1.0f / 9.0f);
    }
    return is_inside;
}

// Along the velocity, in as many parts as it asks for.
BW_FOR_AXES void bw_lanes_follow(const BwPathDef *def, int axes, BwPathLanes *path)
{
    BwLanes way[3], speed[3];
    path->is_whole &= bw_lane_velocity(def->path, path->place, axes, speed);
    for (int a = 0; a < axes; a++)
        way[a] = def->cells_per_speed * speed[a];
    BwLaneBits parts = bw_lane_parts(way, axes, &path->is_whole);
    BwLanes scale = def->cells_per_speed / __builtin_convertvector(parts, BwLanes);
    for (int part = 0;; part++) {
        BwLaneBits is_moving = path->is_whole & (part < parts);
        if (bw_lanes_bits(is_moving) == 0)
            return;
        BwLanes place[3];
        memcpy(place, path->place, sizeof place);
        BwLaneBits is_good = ~is_moving;
        if (part > 0)
            is_moving &= bw_lane_velocity(def->path, place, axes, speed);
        is_moving &= bw_lane_move_part(def->path, axes, speed, scale, place);
        is_good |= is_moving & bw_lanes_in_room(def, place, axes);
        for (int a = 0; a < axes; a++)
            path->place[a] = bw_lanes_choose(is_moving, place[a], path->place[a]);
        path->is_whole &= is_good;
    }
}

// By `way`, cells, as far as the paths are straight, and along the velocity.
BW_FOR_AXES void bw_lanes_go(const BwPathDef *def, int axes, const BwLanes way[3], BwLanes straightness,
                             BwPathLanes *path)
{
    BwPathLanes curve = *path;
    BwLaneBits is_straight = straightness >= 1.0f;
    for (int a = 0; a < axes; a++)
        path->place[a] += way[a];
    if (bw_lanes_bits(~is_straight & path->is_whole) != 0) {
        bw_lanes_follow(def, axes, &curve);
        for (int a = 0; a < axes; a++) {
            BwLanes between = curve.place[a] + straightness * (path->place[a] - curve.place[a]);
            path->place[a] = bw_lanes_choose(is_straight, path->place[a], between);
        }
        path->is_whole &= is_straight | curve.is_whole;
    }
    path->is_whole &= bw_lanes_in_room(def, path->place, axes);
}
