// Stencil access without copies: lanes of a tile's row (or, where there are sixteen, of two rows), and those
// beside them by pointer, from the neighbour tile at the rim.
//
// Measured on a full 256^3 box: within 1.2x of a dense array; a padded copy costs 3 to 5x.
#pragma once

#include "grid/field.h"
#include "grid/lanes.h"

// A tile's values and those of the six tiles beside it.
typedef struct BwStar {
    const float *center, *x_low, *x_high, *y_low, *y_high, *z_low, *z_high;
} BwStar;

static inline BwStar bw_star(const BwField *field, int32_t slot)
{
    const int32_t *neighbour = field->store.grid->tiles[slot].neighbour;
    return (BwStar){bw_field_tile(field, slot),          bw_field_tile(field, neighbour[12]),
                    bw_field_tile(field, neighbour[14]), bw_field_tile(field, neighbour[10]),
                    bw_field_tile(field, neighbour[16]), bw_field_tile(field, neighbour[4]),
                    bw_field_tile(field, neighbour[22])};
}

// What is beside the lanes `center`, the cells from `at` on: 64 k + 8 j + i.
#if BW_LANES == 16
static inline BwLanes bw_lanes_x_low(const BwStar *star, BwLanes center, int at)
{
    BwLanes edge = bw_lanes_load(star->x_low + at);
    return __builtin_shufflevector(center, edge, 23, 0, 1, 2, 3, 4, 5, 6, 31, 8, 9, 10, 11, 12, 13, 14);
}

static inline BwLanes bw_lanes_x_high(const BwStar *star, BwLanes center, int at)
{
    BwLanes edge = bw_lanes_load(star->x_high + at);
    return __builtin_shufflevector(center, edge, 1, 2, 3, 4, 5, 6, 7, 16, 9, 10, 11, 12, 13, 14, 15, 24);
}

static inline BwLanes bw_lanes_y_low(const BwStar *star, BwLanes center, int at)
{
    BwLanes below = bw_lanes_load((at & 56) == 0 ? star->y_low + at + 48 : star->center + at - 16);
    return __builtin_shufflevector(below, center, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22,
                                   23);
}

static inline BwLanes bw_lanes_y_high(const BwStar *star, BwLanes center, int at)
{
    BwLanes above = bw_lanes_load((at & 56) == 48 ? star->y_high + at - 48 : star->center + at + 16);
    return __builtin_shufflevector(center, above, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22,
                                   23);
}
#else
static inline BwLanes bw_lanes_x_low(const BwStar *star, BwLanes center, int at)
{
    bool is_first = (at & 7) == 0;
    return bw_lanes_shift_on(
        bw_lanes_load(is_first ? star->x_low + at + (8 - BW_LANES) : star->center + at - BW_LANES), center);
}

static inline BwLanes bw_lanes_x_high(const BwStar *star, BwLanes center, int at)
{
    bool is_last = (at & 7) + BW_LANES == 8;
    return bw_lanes_shift_back(
        center, bw_lanes_load(is_last ? star->x_high + at - (8 - BW_LANES) : star->center + at + BW_LANES));
}

static inline BwLanes bw_lanes_y_low(const BwStar *star, BwLanes center, int at)
{
    (void)center;
    return bw_lanes_load((at & 56) == 0 ? star->y_low + at + 56 : star->center + at - 8);
}

static inline BwLanes bw_lanes_y_high(const BwStar *star, BwLanes center, int at)
{
    (void)center;
    return bw_lanes_load((at & 56) == 56 ? star->y_high + at - 56 : star->center + at + 8);
}
#endif

// Only in 3-D: nothing reads a z neighbour that is not there.
static inline BwLanes bw_lanes_z_low(const BwStar *star, int at)
{
    return bw_lanes_load(at < 64 ? star->z_low + at + 448 : star->center + at - 64);
}

static inline BwLanes bw_lanes_z_high(const BwStar *star, int at)
{
    return bw_lanes_load(at >= 448 ? star->z_high + at - 448 : star->center + at + 64);
}
