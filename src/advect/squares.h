// The samples around four places at a time: of each place a square of two by two samples of a layer, near and
// far in x and in y. They fill as many vectors as the instruction set needs for sixteen floats; the twin of
// one lane (grid/lanes.h) has four of them too, for its plain form is bw_sample (grid/sample.h).
#pragma once

#include "grid/lanes.h"

typedef float BwPair __attribute__((vector_size(8)));
typedef float BwQuad __attribute__((vector_size(16)));
typedef float BwOct __attribute__((vector_size(32)));

#if BW_LANES >= 8
typedef BwLanes BwSquareLanes;
typedef BwOct BwRowLanes;
enum { BW_SQUARE_PARTS = BW_PARTS, BW_ROW_PARTS = 1 };
#else
typedef BwQuad BwSquareLanes;
typedef BwQuad BwRowLanes;
enum { BW_SQUARE_PARTS = 4, BW_ROW_PARTS = 2 };
#endif

typedef struct BwSquares {
    BwSquareLanes part[BW_SQUARE_PARTS];
} BwSquares;

// Two neighbours in x of each of four places.
typedef struct BwSampleRows {
    BwRowLanes part[BW_ROW_PARTS];
} BwSampleRows;

static inline BwQuad bw_quad_load(const float *from)
{
    BwQuad quad;
    memcpy(&quad, from, sizeof quad);
    return quad;
}

static inline void bw_quad_store(float *to, BwQuad quad)
{
    memcpy(to, &quad, sizeof quad);
}

// By single lanes, for C has no vector choice; the compilers make one instruction of it.
static inline BwQuad bw_quad_smaller(BwQuad a, BwQuad b)
{
    for (int n = 0; n < 4; n++)
        a[n] = a[n] < b[n] ? a[n] : b[n];
    return a;
}

static inline BwQuad bw_quad_larger(BwQuad a, BwQuad b)
{
    for (int n = 0; n < 4; n++)
        a[n] = a[n] > b[n] ? a[n] : b[n];
    return a;
}

static inline BwQuad bw_square_load(const float *corner, int row)
{
    BwPair near, far;
    memcpy(&near, corner, sizeof near);
    memcpy(&far, corner + row, sizeof far);
    return __builtin_shufflevector(near, far, 0, 1, 2, 3);
}

static inline BwOct bw_oct_join(BwQuad low, BwQuad high)
{
    return __builtin_shufflevector(low, high, 0, 1, 2, 3, 4, 5, 6, 7);
}

// bw_squares_load: the squares of four places. bw_squares_spread, bw_rows_spread: a number of each place, in
// all of its lanes. bw_rows_near, bw_rows_far: the rows near and far in y. bw_samples_near, bw_samples_far:
// of those, the samples near and far in x.
#if BW_LANES == 16
static inline BwSquares bw_squares_load(const float *block, const int32_t *corner, int row)
{
    BwOct low = bw_oct_join(bw_square_load(block + corner[0], row), bw_square_load(block + corner[1], row));
    BwOct high = bw_oct_join(bw_square_load(block + corner[2], row), bw_square_load(block + corner[3], row));
    return (BwSquares){
        {__builtin_shufflevector(low, high, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15)}};
}

// By way of halves: gcc 12 goes through memory, and waits for it, when told to do it at once.
static inline BwSquares bw_squares_spread(BwQuad a)
{
    BwOct low = __builtin_shufflevector(a, a, 0, 0, 0, 0, 1, 1, 1, 1);
    BwOct high = __builtin_shufflevector(a, a, 2, 2, 2, 2, 3, 3, 3, 3);
    return (BwSquares){
        {__builtin_shufflevector(low, high, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15)}};
}

static inline BwSampleRows bw_rows_near(BwSquares s)
{
    return (BwSampleRows){{__builtin_shufflevector(s.part[0], s.part[0], 0, 1, 4, 5, 8, 9, 12, 13)}};
}

static inline BwSampleRows bw_rows_far(BwSquares s)
{
    return (BwSampleRows){{__builtin_shufflevector(s.part[0], s.part[0], 2, 3, 6, 7, 10, 11, 14, 15)}};
}
#elif BW_LANES == 8
// Places 0 and 2 in one vector, 1 and 3 in the other: rows of all four then lie in order after one shuffle.
static inline BwSquares bw_squares_load(const float *block, const int32_t *corner, int row)
{
    return (BwSquares){
        {bw_oct_join(bw_square_load(block + corner[0], row), bw_square_load(block + corner[2], row)),
         bw_oct_join(bw_square_load(block + corner[1], row), bw_square_load(block + corner[3], row))}};
}

static inline BwSquares bw_squares_spread(BwQuad a)
{
    BwOct twice = bw_oct_join(a, a);
    return (BwSquares){{__builtin_shufflevector(twice, twice, 0, 0, 0, 0, 6, 6, 6, 6),
                        __builtin_shufflevector(twice, twice, 1, 1, 1, 1, 7, 7, 7, 7)}};
}

static inline BwSampleRows bw_rows_near(BwSquares s)
{
    return (BwSampleRows){{__builtin_shufflevector(s.part[0], s.part[1], 0, 1, 8, 9, 4, 5, 12, 13)}};
}

static inline BwSampleRows bw_rows_far(BwSquares s)
{
    return (BwSampleRows){{__builtin_shufflevector(s.part[0], s.part[1], 2, 3, 10, 11, 6, 7, 14, 15)}};
}
#else
static inline BwSquares bw_squares_load(const float *block, const int32_t *corner, int row)
{
    return (BwSquares){{bw_square_load(block + corner[0], row), bw_square_load(block + corner[1], row),
                        bw_square_load(block + corner[2], row), bw_square_load(block + corner[3], row)}};
}

static inline BwSquares bw_squares_spread(BwQuad a)
{
    return (BwSquares){{__builtin_shufflevector(a, a, 0, 0, 0, 0), __builtin_shufflevector(a, a, 1, 1, 1, 1),
                        __builtin_shufflevector(a, a, 2, 2, 2, 2),
                        __builtin_shufflevector(a, a, 3, 3, 3, 3)}};
}

static inline BwSampleRows bw_rows_near(BwSquares s)
{
    return (BwSampleRows){{__builtin_shufflevector(s.part[0], s.part[1], 0, 1, 4, 5),
                           __builtin_shufflevector(s.part[2], s.part[3], 0, 1, 4, 5)}};
}

static inline BwSampleRows bw_rows_far(BwSquares s)
{
    return (BwSampleRows){{__builtin_shufflevector(s.part[0], s.part[1], 2, 3, 6, 7),
                           __builtin_shufflevector(s.part[2], s.part[3], 2, 3, 6, 7)}};
}
#endif

#if BW_LANES >= 8
static inline BwSampleRows bw_rows_spread(BwQuad a)
{
    return (BwSampleRows){{__builtin_shufflevector(a, a, 0, 0, 1, 1, 2, 2, 3, 3)}};
}

static inline BwQuad bw_samples_near(BwSampleRows rows)
{
    return __builtin_shufflevector(rows.part[0], rows.part[0], 0, 2, 4, 6);
}

static inline BwQuad bw_samples_far(BwSampleRows rows)
{
    return __builtin_shufflevector(rows.part[0], rows.part[0], 1, 3, 5, 7);
}
#else
static inline BwSampleRows bw_rows_spread(BwQuad a)
{
    return (BwSampleRows){
        {__builtin_shufflevector(a, a, 0, 0, 1, 1), __builtin_shufflevector(a, a, 2, 2, 3, 3)}};
}

static inline BwQuad bw_samples_near(BwSampleRows rows)
{
    return __builtin_shufflevector(rows.part[0], rows.part[1], 0, 2, 4, 6);
}

static inline BwQuad bw_samples_far(BwSampleRows rows)
{
    return __builtin_shufflevector(rows.part[0], rows.part[1], 1, 3, 5, 7);
}
#endif

static inline BwSquares bw_squares_negate(BwSquares a)
{
    for (int p = 0; p < BW_SQUARE_PARTS; p++)
        a.part[p] = -a.part[p];
    return a;
}

typedef int32_t BwSquareBits __attribute__((vector_size(sizeof(BwSquareLanes))));

static inline BwSquareLanes bw_square_choose(BwSquareBits condition, BwSquareLanes a, BwSquareLanes b)
{
    return (BwSquareLanes)(((BwSquareBits)a & condition) | ((BwSquareBits)b & ~condition));
}

static inline BwSquares bw_squares_smaller(BwSquares a, BwSquares b)
{
    for (int p = 0; p < BW_SQUARE_PARTS; p++)
        a.part[p] = bw_square_choose(a.part[p] < b.part[p], a.part[p], b.part[p]);
    return a;
}

// The samples of `a` where those of `exists` are above zero, else `otherwise`.
static inline BwSquares bw_squares_where(BwSquares exists, BwSquares a, float otherwise)
{
    const BwSquareLanes none = {0};
    for (int p = 0; p < BW_SQUARE_PARTS; p++)
        a.part[p] = bw_square_choose(exists.part[p] > none, a.part[p], none + otherwise);
    return a;
}

// The smallest sample of each square.
static inline BwQuad bw_squares_smallest(BwSquares squares)
{
    BwSampleRows rows = bw_rows_near(squares), far = bw_rows_far(squares);
    for (int p = 0; p < BW_ROW_PARTS; p++)
        for (int n = 0; n < 8 / BW_ROW_PARTS; n++)
            rows.part[p][n] = rows.part[p][n] < far.part[p][n] ? rows.part[p][n] : far.part[p][n];
    return bw_quad_smaller(bw_samples_near(rows), bw_samples_far(rows));
}

// A blend of the samples around four places, first along z, then y, then x; `part` says how far each place is
// from the near samples. In 2-D there is one layer, and no part along z.
static inline BwQuad bw_squares_blend(BwSquares near_layer, BwSquares far_layer, const BwQuad part[3],
                                      bool is_flat)
{
    BwSquares squares = near_layer, z = bw_squares_spread(part[2]);
    for (int p = 0; p < BW_SQUARE_PARTS && !is_flat; p++)
        squares.part[p] += z.part[p] * (far_layer.part[p] - near_layer.part[p]);
    BwSampleRows rows = bw_rows_near(squares), far = bw_rows_far(squares), y = bw_rows_spread(part[1]);
    for (int p = 0; p < BW_ROW_PARTS; p++)
        rows.part[p] += y.part[p] * (far.part[p] - rows.part[p]);
    BwQuad first = bw_samples_near(rows);
    return first + part[0] * (bw_samples_far(rows) - first);
}
