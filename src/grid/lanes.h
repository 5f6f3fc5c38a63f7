// The lane type: a few neighbouring cells of a row, or of two rows, that one instruction works on. Formulas
// of a cell are written once, on lanes; how many there are is a property of the build, what suits the
// instruction set it is compiled for. One lane is the plain form that tests compare the others with.
// Vector extensions of GCC and Clang; an intrinsic only where those have no word for it.
//
// Invariant: results do not depend on the number of lanes. A sum over many cells therefore has the same
// sixteen partial sums in every build, BW_PARTS vectors of them (BwSixteen).
#pragma once

#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#ifdef __SSE__
#include <immintrin.h>
#endif

#ifndef BW_LANES
#if defined(__AVX512F__)
#define BW_LANES 16
#elif defined(__AVX__)
#define BW_LANES 8
#else
#define BW_LANES 4
#endif
#endif
_Static_assert(BW_LANES == 16 || BW_LANES == 8 || BW_LANES == 4 || BW_LANES == 1,
               "lanes fill rows of a tile");

// Vectors of sixteen cells.
#define BW_PARTS (16 / BW_LANES)

typedef float BwLanes __attribute__((vector_size(4 * BW_LANES)));
typedef int32_t BwLaneBits __attribute__((vector_size(4 * BW_LANES))); // all ones where a condition holds

static inline BwLanes bw_lanes_load(const float *from)
{
    BwLanes lanes;
    memcpy(&lanes, __builtin_assume_aligned(from, sizeof lanes), sizeof lanes);
    return lanes;
}

static inline BwLanes bw_lanes_load_any(const float *from)
{
    BwLanes lanes;
    memcpy(&lanes, from, sizeof lanes);
    return lanes;
}

static inline void bw_lanes_store(float *to, BwLanes lanes)
{
    memcpy(__builtin_assume_aligned(to, sizeof lanes), &lanes, sizeof lanes);
}

// The first `count` of them, 0 in the others: what lies behind is not read.
static inline BwLanes bw_lanes_load_some(const float *from, int count)
{
    BwLanes lanes = {0};
    if (count == BW_LANES)
        return bw_lanes_load_any(from);
    for (int n = 0; n < count; n++)
        lanes[n] = from[n];
    return lanes;
}

// A bit a lane, and all of those.
#define BW_ALL_LANES (((uint64_t)1 << BW_LANES) - 1)

// Stores the lanes whose bit is set, and writes nothing in the place of others.
static inline void bw_lanes_store_some(float *to, BwLanes lanes, uint64_t bits)
{
    if (bits == BW_ALL_LANES)
        memcpy(to, &lanes, sizeof lanes);
    for (; bits != BW_ALL_LANES && bits != 0; bits &= bits - 1)
        to[__builtin_ctzll(bits)] = lanes[__builtin_ctzll(bits)];
}

static inline BwLanes bw_lanes_of(float value)
{
    return (BwLanes){0} + value;
}

// Lanes whose bit is set; bit 0 is the first lane's.
static inline BwLaneBits bw_lane_bits(uint64_t bits)
{
#if BW_LANES == 16
    static const BwLaneBits bit = {1 << 0, 1 << 1, 1 << 2,  1 << 3,  1 << 4,  1 << 5,  1 << 6,  1 << 7,
                                   1 << 8, 1 << 9, 1 << 10, 1 << 11, 1 << 12, 1 << 13, 1 << 14, 1 << 15};
#elif BW_LANES == 8
    static const BwLaneBits bit = {1, 2, 4, 8, 16, 32, 64, 128};
#elif BW_LANES == 4
    static const BwLaneBits bit = {1, 2, 4, 8};
#else
    static const BwLaneBits bit = {1};
#endif
    return (((BwLaneBits){0} + (int32_t)(bits & 0xffff)) & bit) != 0;
}

// The other way: a bit a lane, of a condition. Compilers do not find the instruction for it.
static inline uint64_t bw_lanes_bits(BwLaneBits condition)
{
#if BW_LANES == 16 && defined(__AVX512F__)
    return _mm512_test_epi32_mask((__m512i)condition, (__m512i)condition);
#elif BW_LANES == 8 && defined(__AVX__)
    return (unsigned)_mm256_movemask_ps((__m256)condition);
#elif BW_LANES == 4 && defined(__SSE__)
    return (unsigned)_mm_movemask_ps((__m128)condition);
#else
    uint64_t bits = 0;
    for (int lane = 0; lane < BW_LANES; lane++)
        bits |= (uint64_t)(condition[lane] & 1) << lane;
    return bits;
#endif
}

// a where the condition holds, else b.
static inline BwLanes bw_lanes_choose(BwLaneBits condition, BwLanes a, BwLanes b)
{
    return (BwLanes)(((BwLaneBits)a & condition) | ((BwLaneBits)b & ~condition));
}

// The lanes where the condition holds, 0 in the others.
static inline BwLanes bw_lanes_keep(BwLanes lanes, BwLaneBits condition)
{
    return (BwLanes)((BwLaneBits)lanes & condition);
}

static inline BwLanes bw_lanes_smaller(BwLanes a, BwLanes b)
{
    return bw_lanes_choose(a < b, a, b);
}

static inline BwLanes bw_lanes_larger(BwLanes a, BwLanes b)
{
    return bw_lanes_choose(a > b, a, b);
}

static inline BwLanes bw_lanes_sqrt(BwLanes lanes)
{
    for (int n = 0; n < BW_LANES; n++)
        lanes[n] = sqrtf(lanes[n]);
    return lanes;
}

// Sixteen cells side by side, of whatever lanes.
typedef struct BwSixteen {
    BwLanes part[BW_PARTS];
} BwSixteen;

static inline BwSixteen bw_sixteen_load(const float *from)
{
    BwSixteen sixteen;
    for (int part = 0; part < BW_PARTS; part++)
        sixteen.part[part] = bw_lanes_load(from + part * BW_LANES);
    return sixteen;
}

static inline BwSixteen bw_sixteen_add(BwSixteen a, BwSixteen b)
{
    for (int part = 0; part < BW_PARTS; part++)
        a.part[part] += b.part[part];
    return a;
}

static inline float bw_sixteen_cell(const BwSixteen *sixteen, int n)
{
    return sixteen->part[n / BW_LANES][n % BW_LANES];
}

static inline double bw_sixteen_sum(const BwSixteen *sixteen)
{
    double sum = 0.0;
    for (int part = 0; part < BW_PARTS; part++)
        for (int lane = 0; lane < BW_LANES; lane++)
            sum += (double)sixteen->part[part][lane];
    return sum;
}

// The lanes of `own` moved on by one along a row, the first filled with the last of `before`; and moved back
// by one, the last filled with the first of `behind`. Only of lanes that are no more than a row.
#if BW_LANES <= 8
#if BW_LANES == 8
#define BW_LANES_ON   7, 8, 9, 10, 11, 12, 13, 14
#define BW_LANES_BACK 1, 2, 3, 4, 5, 6, 7, 8
#elif BW_LANES == 4
#define BW_LANES_ON   3, 4, 5, 6
#define BW_LANES_BACK 1, 2, 3, 4
#else
#define BW_LANES_ON   0
#define BW_LANES_BACK 1
#endif
static inline BwLanes bw_lanes_shift_on(BwLanes before, BwLanes own)
{
    return __builtin_shufflevector(before, own, BW_LANES_ON);
}

static inline BwLanes bw_lanes_shift_back(BwLanes own, BwLanes behind)
{
    return __builtin_shufflevector(own, behind, BW_LANES_BACK);
}
#endif
