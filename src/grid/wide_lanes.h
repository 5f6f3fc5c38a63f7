// Lanes of doubles, for unknowns of linear systems and norms: half as many as of floats, so that they fill
// the same register. Rows of a tile have eight.
#pragma once

#include "grid/lanes.h"

#if BW_LANES == 1
#define BW_WIDE_LANES 1
#else
#define BW_WIDE_LANES (BW_LANES / 2)
#endif

typedef double BwWideLanes __attribute__((vector_size(8 * BW_WIDE_LANES)));
typedef int64_t BwWideBits __attribute__((vector_size(8 * BW_WIDE_LANES)));
typedef float BwNarrowLanes __attribute__((vector_size(4 * BW_WIDE_LANES))); // as many floats

static inline BwWideLanes bw_wide_load(const double *from)
{
    BwWideLanes lanes;
    memcpy(&lanes, from, sizeof lanes);
    return lanes;
}

static inline void bw_wide_store(double *to, BwWideLanes lanes)
{
    memcpy(to, &lanes, sizeof lanes);
}

// Floats from memory, as doubles.
static inline BwWideLanes bw_wide_load_floats(const float *from)
{
    BwNarrowLanes lanes;
    memcpy(&lanes, from, sizeof lanes);
    return __builtin_convertvector(lanes, BwWideLanes);
}

// The lanes whose bit is set, 0 in the others; bit 0 is the first lane's.
static inline BwWideLanes bw_wide_keep(BwWideLanes lanes, uint64_t bits)
{
#if BW_WIDE_LANES == 8
    static const BwWideBits bit = {1, 2, 4, 8, 16, 32, 64, 128};
#elif BW_WIDE_LANES == 4
    static const BwWideBits bit = {1, 2, 4, 8};
#elif BW_WIDE_LANES == 2
    static const BwWideBits bit = {1, 2};
#else
    static const BwWideBits bit = {1};
#endif
    return (BwWideLanes)((BwWideBits)lanes & ((((BwWideBits){0} + (int64_t)bits) & bit) != 0));
}

// As bw_lanes_shift_on and bw_lanes_shift_back.
#if BW_WIDE_LANES == 8
#define BW_WIDE_ON   7, 8, 9, 10, 11, 12, 13, 14
#define BW_WIDE_BACK 1, 2, 3, 4, 5, 6, 7, 8
#elif BW_WIDE_LANES == 4
#define BW_WIDE_ON   3, 4, 5, 6
#define BW_WIDE_BACK 1, 2, 3, 4
#elif BW_WIDE_LANES == 2
#define BW_WIDE_ON   1, 2
#define BW_WIDE_BACK 1, 2
#else
#define BW_WIDE_ON   0
#define BW_WIDE_BACK 1
#endif
static inline BwWideLanes bw_wide_shift_on(BwWideLanes before, BwWideLanes own)
{
    return __builtin_shufflevector(before, own, BW_WIDE_ON);
}

static inline BwWideLanes bw_wide_shift_back(BwWideLanes own, BwWideLanes behind)
{
    return __builtin_shufflevector(own, behind, BW_WIDE_BACK);
}

// Both halves of lanes.
#if BW_LANES == 16
#define BW_LANES_FIRST 0, 1, 2, 3, 4, 5, 6, 7
#define BW_LANES_LAST  8, 9, 10, 11, 12, 13, 14, 15
#elif BW_LANES == 8
#define BW_LANES_FIRST 0, 1, 2, 3
#define BW_LANES_LAST  4, 5, 6, 7
#elif BW_LANES == 4
#define BW_LANES_FIRST 0, 1
#define BW_LANES_LAST  2, 3
#endif

// values * factor, as floats.
static inline BwLanes bw_lanes_narrow(const double *values, double factor)
{
    BwNarrowLanes first = __builtin_convertvector(bw_wide_load(values) * factor, BwNarrowLanes);
#if BW_LANES == 1
    return first;
#else
    BwNarrowLanes last =
        __builtin_convertvector(bw_wide_load(values + BW_WIDE_LANES) * factor, BwNarrowLanes);
    return __builtin_shufflevector(first, last, BW_LANES_FIRST, BW_LANES_LAST);
#endif
}

// to += factor * lanes, in double.
static inline void bw_lanes_add_scaled(double *to, BwLanes lanes, double factor)
{
#if BW_LANES == 1
    bw_wide_store(to, bw_wide_load(to) + factor * __builtin_convertvector(lanes, BwWideLanes));
#else
    BwNarrowLanes first = __builtin_shufflevector(lanes, lanes, BW_LANES_FIRST),
                  last = __builtin_shufflevector(lanes, lanes, BW_LANES_LAST);
    bw_wide_store(to, bw_wide_load(to) + factor * __builtin_convertvector(first, BwWideLanes));
    to += BW_WIDE_LANES;
    bw_wide_store(to, bw_wide_load(to) + factor * __builtin_convertvector(last, BwWideLanes));
#endif
}
