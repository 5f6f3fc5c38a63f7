// The stencil on tiles in red-black order (poisson/pyramid.h): what surrounds a vector of one colour in the
// other colour's half of the tile, and relaxation, residual and product over one colour of a tile.
#pragma once

#include "poisson/pyramid.h"

// The other colour's half of a tile and of the six around it.
typedef struct BwColorStar {
    const float *center, *beside[BW_BESIDE_COUNT];
} BwColorStar;

static inline BwColorStar bw_color_star(const BwLevel *level, int32_t t, const float *values, int other)
{
    BwColorStar star;
    values += other * level->half;
    star.center = values + (int64_t)t * level->cells;
    for (int side = 0; side < BW_BESIDE_COUNT; side++)
        star.beside[side] = values + (int64_t)level->beside[t][side] * level->cells;
    return star;
}

// Neighbours of lanes, in the order of the block's rows.
typedef struct BwAround {
    BwLanes same, shifted, y_low, y_high, z_low, z_high;
} BwAround;

// The neighbours one further along x, and those in y, of the lanes `center` from `at` on. Rows whose own
// cells start at i = 0 take the neighbour to the left, the others the one to the right. They alternate;
// `is_odd` tells that the second row of the layer starts at 0.
#if BW_LANES >= 8
static inline BwLanes bw_around_x(const BwColorStar *star, BwLanes center, int at, bool is_odd)
{
    BwLanes x_low = bw_lanes_load(star->beside[BW_X_LOW] + at),
            x_high = bw_lanes_load(star->beside[BW_X_HIGH] + at);
#if BW_LANES == 16
    if (is_odd) {
        BwLanes rows =
            __builtin_shufflevector(center, x_low, 1, 2, 3, 3, 23, 4, 5, 6, 9, 10, 11, 11, 31, 12, 13, 14);
        return __builtin_shufflevector(rows, x_high, 0, 1, 2, 16, 4, 5, 6, 7, 8, 9, 10, 24, 12, 13, 14, 15);
    }
    BwLanes rows =
        __builtin_shufflevector(center, x_low, 19, 0, 1, 2, 5, 6, 7, 7, 27, 8, 9, 10, 13, 14, 15, 15);
    return __builtin_shufflevector(rows, x_high, 0, 1, 2, 3, 4, 5, 6, 20, 8, 9, 10, 11, 12, 13, 14, 28);
#else
    if (is_odd) {
        BwLanes rows = __builtin_shufflevector(center, x_low, 1, 2, 3, 3, 15, 4, 5, 6);
        return __builtin_shufflevector(rows, x_high, 0, 1, 2, 8, 4, 5, 6, 7);
    }
    BwLanes rows = __builtin_shufflevector(center, x_low, 11, 0, 1, 2, 5, 6, 7, 7);
    return __builtin_shufflevector(rows, x_high, 0, 1, 2, 3, 4, 5, 6, 12);
#endif
}

static inline BwLanes bw_around_y_low(const BwColorStar *star, BwLanes center, int at)
{
    BwLanes below = bw_lanes_load((at & 31) == 0 ? star->beside[BW_Y_LOW] + at + (32 - BW_LANES)
                                                 : star->center + at - BW_LANES);
#if BW_LANES == 16
    return __builtin_shufflevector(below, center, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26,
                                   27);
#else
    return __builtin_shufflevector(below, center, 4, 5, 6, 7, 8, 9, 10, 11);
#endif
}

static inline BwLanes bw_around_y_high(const BwColorStar *star, BwLanes center, int at)
{
    BwLanes above = bw_lanes_load((at & 31) == 32 - BW_LANES ? star->beside[BW_Y_HIGH] + at - (32 - BW_LANES)
                                                             : star->center + at + BW_LANES);
#if BW_LANES == 16
    return __builtin_shufflevector(center, above, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19);
#else
    return __builtin_shufflevector(center, above, 4, 5, 6, 7, 8, 9, 10, 11);
#endif
}
#else // lanes are a row, or a cell of one
static inline BwLanes bw_around_x(const BwColorStar *star, BwLanes center, int at, bool is_odd)
{
    bool starts_low = (at >> 2 & 1) == is_odd, is_first = (at & 3) == 0, is_last = (at & 3) + BW_LANES == 4;
    if (starts_low)
        return bw_lanes_shift_on(bw_lanes_load(is_first ? star->beside[BW_X_LOW] + at + (4 - BW_LANES)
                                                        : star->center + at - BW_LANES),
                                 center);
    return bw_lanes_shift_back(center, bw_lanes_load(is_last ? star->beside[BW_X_HIGH] + at - (4 - BW_LANES)
                                                             : star->center + at + BW_LANES));
}

static inline BwLanes bw_around_y_low(const BwColorStar *star, BwLanes center, int at)
{
    (void)center;
    return bw_lanes_load((at & 28) == 0 ? star->beside[BW_Y_LOW] + at + 28 : star->center + at - 4);
}

static inline BwLanes bw_around_y_high(const BwColorStar *star, BwLanes center, int at)
{
    (void)center;
    return bw_lanes_load((at & 28) == 28 ? star->beside[BW_Y_HIGH] + at - 28 : star->center + at + 4);
}
#endif

// What surrounds the lanes from `at` on, in layer at / 32.
static inline BwAround bw_around(const BwColorStar *star, int at, int last, bool is_odd)
{
    BwLanes center = bw_lanes_load(star->center + at);
    int k = at >> 5, in_layer = at & 31;
    return (BwAround){
        .same = center,
        .shifted = is_odd ? bw_around_x(star, center, at, true) : bw_around_x(star, center, at, false),
        .y_low = bw_around_y_low(star, center, at),
        .y_high = bw_around_y_high(star, center, at),
        .z_low =
            bw_lanes_load(k > 0 ? star->center + at - 32 : star->beside[BW_Z_LOW] + 32 * last + in_layer),
        .z_high = bw_lanes_load(k < last ? star->center + at + 32 : star->beside[BW_Z_HIGH] + in_layer)};
}

static inline BwLanes bw_around_sum(const BwAround *n)
{
    return ((n->same + n->shifted) + (n->y_low + n->y_high)) + (n->z_low + n->z_high);
}

// Sum of couplings times neighbours; `row` points at this vector in the block's first row.
static inline BwLanes bw_around_weighted(const BwAround *n, const float *row, int cells)
{
    return (bw_lanes_load(row) * n->same + bw_lanes_load(row + cells) * n->shifted) +
           (bw_lanes_load(row + 2 * cells) * n->y_low + bw_lanes_load(row + 3 * cells) * n->y_high) +
           (bw_lanes_load(row + 4 * cells) * n->z_low + bw_lanes_load(row + 5 * cells) * n->z_high);
}

// Sum of couplings times differences: exact where the values are nearly equal.
static inline BwLanes bw_around_differences(const BwAround *n, BwLanes own, const float *row, int cells)
{
    return (bw_lanes_load(row) * (own - n->same) + bw_lanes_load(row + cells) * (own - n->shifted)) +
           (bw_lanes_load(row + 2 * cells) * (own - n->y_low) +
            bw_lanes_load(row + 3 * cells) * (own - n->y_high)) +
           (bw_lanes_load(row + 4 * cells) * (own - n->z_low) +
            bw_lanes_load(row + 5 * cells) * (own - n->z_high));
}

// The 2-D tile has four neighbours, the others are the empty tile.
static inline float bw_uniform_inverse(const BwLevel *level, int32_t t)
{
    return 1.0f / ((level->layers == 1 ? 4.0f : 6.0f) * level->uniform[t]);
}

// Inverse diagonal of a tile that is not uniform throughout.
static inline const float *bw_level_inverse(const BwLevel *level, int32_t t)
{
    const BwMasked *masks = bw_level_masks(level, t);
    return masks != NULL ? masks->inverse : bw_level_block(level, t) + BW_COUPLING_INVERSE * level->cells;
}

// One colour of one tile: x = (b + sum of couplings times neighbours) / diagonal, given b of that colour.
void bw_red_black_relax(const BwLevel *level, int32_t t, int color, const float *values, const float *b,
                        float *out);
// The same from x = 0.
void bw_red_black_relax_first(const BwLevel *level, int32_t t, int color, const float *b, float *out);
// b - A x.
void bw_red_black_residual(const BwLevel *level, int32_t t, int color, const float *values, const float *b,
                           float *out);
// A x; gives x . A x.
double bw_red_black_apply(const BwLevel *level, int32_t t, int color, const float *values, float *out);
