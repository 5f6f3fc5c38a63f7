// Connected sets. Inside a tile they are found by flooding bits, nearly always one; across tiles such parts
// are joined by union and find.
#pragma once

#include "grid/bits.h"

#include <stdbool.h>
#include <string.h>

// Grows `part` by one cell through the open faces inside a tile. `open` has the low faces of cells by axis;
// those on the rim of the tile do not count.
static inline void bw_part_grow(const uint64_t open[3][BW_TILE], int layers, uint64_t part[BW_TILE])
{
    for (int k = 0; k < layers; k++) {
        uint64_t x = open[0][k] & ~BW_COLUMN, y = open[1][k] & ~BW_ROW;
        uint64_t word = part[k], before;
        if (k > 0)
            word |= part[k - 1] & open[2][k];
        if (k + 1 < layers)
            word |= part[k + 1] & open[2][k + 1];
        do {
            before = word;
            word |= (word << 1 & x) | (word & x) >> 1;
            word |= (word << 8 & y) | (word & y) >> 8;
        } while (word != before);
        part[k] = word;
    }
}

// Takes the connected part that holds the first cell left out of what is left; gives false when none is.
static inline bool bw_part_take(const uint64_t open[3][BW_TILE], int layers, uint64_t left[BW_TILE],
                                uint64_t part[BW_TILE])
{
    int first = 0;
    while (first < layers && left[first] == 0)
        first++;
    if (first == layers)
        return false;
    memset(part, 0, BW_TILE * sizeof *part);
    part[first] = left[first] & (~left[first] + 1);
    uint64_t before[BW_TILE];
    do {
        memcpy(before, part, sizeof before);
        bw_part_grow(open, layers, part);
    } while (memcmp(before, part, sizeof before) != 0);
    for (int k = 0; k < layers; k++)
        left[k] &= ~part[k];
    return true;
}

// The first member of the set that one is known to be in.
static inline int32_t bw_root_of(int32_t *parent, int32_t n)
{
    while (parent[n] != n)
        n = parent[n] = parent[parent[n]];
    return n;
}

// Joins two sets. The lower number wins, so that roots do not depend on the order of joining.
static inline void bw_roots_join(int32_t *parent, int32_t a, int32_t b)
{
    a = bw_root_of(parent, a);
    b = bw_root_of(parent, b);
    parent[a > b ? a : b] = a > b ? b : a;
}
