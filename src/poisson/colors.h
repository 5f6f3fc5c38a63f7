// The red-black order of a tile (poisson/pyramid.h) and the order of cells, one into the other: lanes at
// place `at` of both colours are the cells 2 at, 2 at + 1, ... In layers with odd k, and in every second row,
// the colours change roles.
#pragma once

#include "grid/lanes.h"

#if BW_LANES == 16
// Four rows of four cells of a colour: the colours' roles change within.
#define BW_COLORS_MERGED_LOW  0, 16, 1, 17, 2, 18, 3, 19, 20, 4, 21, 5, 22, 6, 23, 7
#define BW_COLORS_MERGED_HIGH 8, 24, 9, 25, 10, 26, 11, 27, 28, 12, 29, 13, 30, 14, 31, 15
#define BW_COLORS_SPLIT_FIRST 0, 2, 4, 6, 9, 11, 13, 15, 16, 18, 20, 22, 25, 27, 29, 31
#define BW_COLORS_SPLIT_LAST  1, 3, 5, 7, 8, 10, 12, 14, 17, 19, 21, 23, 24, 26, 28, 30
#elif BW_LANES == 8
#define BW_COLORS_MERGED_LOW  0, 8, 1, 9, 2, 10, 3, 11
#define BW_COLORS_MERGED_HIGH 12, 4, 13, 5, 14, 6, 15, 7
#define BW_COLORS_SPLIT_FIRST 0, 2, 4, 6, 9, 11, 13, 15
#define BW_COLORS_SPLIT_LAST  1, 3, 5, 7, 8, 10, 12, 14
#elif BW_LANES == 4
#define BW_COLORS_MERGED_LOW  0, 4, 1, 5
#define BW_COLORS_MERGED_HIGH 2, 6, 3, 7
#define BW_COLORS_SPLIT_FIRST 0, 2, 4, 6
#define BW_COLORS_SPLIT_LAST  1, 3, 5, 7
#else
#define BW_COLORS_MERGED_LOW  0
#define BW_COLORS_MERGED_HIGH 1
#define BW_COLORS_SPLIT_FIRST 0
#define BW_COLORS_SPLIT_LAST  1
#endif

// Whether the odd colour has the first of the cells.
static inline bool bw_colors_begin_odd(int at)
{
    return ((BW_LANES >= 8 ? 0 : at >> 2) ^ at >> 5) & 1;
}

// `low` are the first cells, `high` those that follow.
static inline void bw_colors_merge(BwLanes even, BwLanes odd, int at, BwLanes *low, BwLanes *high)
{
    bool is_odd = bw_colors_begin_odd(at);
    BwLanes first = is_odd ? odd : even, second = is_odd ? even : odd;
    *low = __builtin_shufflevector(first, second, BW_COLORS_MERGED_LOW);
    *high = __builtin_shufflevector(first, second, BW_COLORS_MERGED_HIGH);
}

static inline void bw_colors_split(BwLanes low, BwLanes high, int at, BwLanes *even, BwLanes *odd)
{
    BwLanes first = __builtin_shufflevector(low, high, BW_COLORS_SPLIT_FIRST);
    BwLanes second = __builtin_shufflevector(low, high, BW_COLORS_SPLIT_LAST);
    bool is_odd = bw_colors_begin_odd(at);
    *even = is_odd ? second : first;
    *odd = is_odd ? first : second;
}
