// The cubic through 4x4x4 samples (4x4 in 2-D), limited.
#pragma once

#include "advect/squares.h"

// Four rows of four samples, in as many vectors as it takes.
typedef struct BwFourRows {
    BwSquareLanes part[BW_SQUARE_PARTS];
} BwFourRows;

// Bridson and Mueller-Fischer 2007, eq. 5.11: the cubic of Catmull and Rom between the second and third of
// four samples, as their weights.
static inline BwQuad bw_cubic_weights(float x)
{
    const BwQuad one = {0.0f, 1.0f, 0.0f, 0.0f}, linear = {-0.5f, 0.0f, 0.5f, 0.0f},
                 square = {1.0f, -2.5f, 2.0f, -0.5f}, cube = {-0.5f, 1.5f, -1.5f, 0.5f};
    return one + x * (linear + x * (square + x * cube));
}

// bw_four_rows_load; bw_four_rows_spread: a number a row; bw_four_rows_middle: the four samples in the
// middle; bw_four_rows_sum: of the rows.
#if BW_LANES == 16
static inline BwFourRows bw_four_rows_load(const float *corner, int row)
{
    BwOct low = bw_oct_join(bw_quad_load(corner), bw_quad_load(corner + row));
    BwOct high = bw_oct_join(bw_quad_load(corner + 2 * row), bw_quad_load(corner + 3 * row));
    return (BwFourRows){
        {__builtin_shufflevector(low, high, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15)}};
}

static inline BwFourRows bw_four_rows_spread(BwQuad a)
{
    return (BwFourRows){{bw_squares_spread(a).part[0]}};
}

static inline BwQuad bw_four_rows_middle(BwFourRows rows)
{
    return __builtin_shufflevector(rows.part[0], rows.part[0], 5, 6, 9, 10);
}

static inline BwQuad bw_four_rows_sum(BwFourRows rows)
{
    BwOct two = __builtin_shufflevector(rows.part[0], rows.part[0], 0, 1, 2, 3, 4, 5, 6, 7) +
                __builtin_shufflevector(rows.part[0], rows.part[0], 8, 9, 10, 11, 12, 13, 14, 15);
    return __builtin_shufflevector(two, two, 0, 1, 2, 3) + __builtin_shufflevector(two, two, 4, 5, 6, 7);
}
#elif BW_LANES == 8
static inline BwFourRows bw_four_rows_load(const float *corner, int row)
{
    return (BwFourRows){{bw_oct_join(bw_quad_load(corner), bw_quad_load(corner + row)),
                         bw_oct_join(bw_quad_load(corner + 2 * row), bw_quad_load(corner + 3 * row))}};
}

static inline BwFourRows bw_four_rows_spread(BwQuad a)
{
    BwOct twice = bw_oct_join(a, a);
    return (BwFourRows){{__builtin_shufflevector(twice, twice, 0, 0, 0, 0, 5, 5, 5, 5),
                         __builtin_shufflevector(twice, twice, 2, 2, 2, 2, 7, 7, 7, 7)}};
}

static inline BwQuad bw_four_rows_middle(BwFourRows rows)
{
    return __builtin_shufflevector(rows.part[0], rows.part[1], 5, 6, 9, 10);
}

static inline BwQuad bw_four_rows_sum(BwFourRows rows)
{
    BwOct two = rows.part[0] + rows.part[1];
    return __builtin_shufflevector(two, two, 0, 1, 2, 3) + __builtin_shufflevector(two, two, 4, 5, 6, 7);
}
#else
static inline BwFourRows bw_four_rows_load(const float *corner, int row)
{
    return (BwFourRows){{bw_quad_load(corner), bw_quad_load(corner + row), bw_quad_load(corner + 2 * row),
                         bw_quad_load(corner + 3 * row)}};
}

static inline BwFourRows bw_four_rows_spread(BwQuad a)
{
    BwSquares each = bw_squares_spread(a);
    return (BwFourRows){{each.part[0], each.part[1], each.part[2], each.part[3]}};
}

static inline BwQuad bw_four_rows_middle(BwFourRows rows)
{
    return __builtin_shufflevector(rows.part[1], rows.part[2], 1, 2, 5, 6);
}

static inline BwQuad bw_four_rows_sum(BwFourRows rows)
{
    return (rows.part[0] + rows.part[2]) + (rows.part[1] + rows.part[3]);
}
#endif

// The sum along y of rows with their weights, then that along x.
static inline float bw_cubic_of_rows(BwFourRows rows, float x, float y)
{
    BwFourRows weights = bw_four_rows_spread(bw_cubic_weights(y));
    for (int p = 0; p < BW_SQUARE_PARTS; p++)
        rows.part[p] *= weights.part[p];
    BwQuad line = bw_four_rows_sum(rows) * bw_cubic_weights(x);
    return (line[0] + line[1]) + (line[2] + line[3]);
}

// The four layers of rows with their weights, of which the inner two are at hand.
static inline BwFourRows bw_cubic_of_layers(const float *corner, int row, int layer, BwFourRows second,
                                            BwFourRows third, float z)
{
    BwQuad w = bw_cubic_weights(z);
    BwFourRows first = bw_four_rows_load(corner, row), last = bw_four_rows_load(corner + 3 * layer, row);
    for (int p = 0; p < BW_SQUARE_PARTS; p++)
        first.part[p] =
            w[0] * first.part[p] + w[1] * second.part[p] + w[2] * third.part[p] + w[3] * last.part[p];
    return first;
}

// The cubic through the samples of which `corner` is the first, limited to what the innermost samples span.
// The notes limit each axis by itself: that flattens every ridge that lies along one, where this one cuts no
// more than peaks.
static inline float bw_cubic_at(const float *corner, int row, int layer, float x, float y, float z)
{
    BwFourRows rows = bw_four_rows_load(corner + layer, row),
               next = bw_four_rows_load(corner + 2 * layer, row);
    BwQuad middle = bw_four_rows_middle(rows), middle_next = bw_four_rows_middle(next);
    BwQuad least = bw_quad_smaller(middle, middle_next), most = bw_quad_larger(middle, middle_next);
    if (layer != 0)
        rows = bw_cubic_of_layers(corner, row, layer, rows, next, z);
    float value = bw_cubic_of_rows(rows, x, y);
    least = bw_quad_smaller(least, __builtin_shufflevector(least, least, 2, 3, 0, 1));
    most = bw_quad_larger(most, __builtin_shufflevector(most, most, 2, 3, 0, 1));
    float low = least[0] < least[1] ? least[0] : least[1], high = most[0] > most[1] ? most[0] : most[1];
    value = value > low ? value : low;
    return value < high ? value : high;
}
