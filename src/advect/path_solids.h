// The solids that paths of a step may meet.
#pragma once

#include "domain/domain.h"

typedef struct BwPathSolids {
    const BwSolidPose *list;
    int count;
    bool is_plain; // every path of a tile near a solid is looked at, and all distances are asked for; the
                   // same to the bit, many times slower: the test of the fast way
    // Found by bw_advect: those of the first 63 that stand still, a bit each, and a number that stands for
    // their shapes and places.
    uint64_t resting, resting_key;
} BwPathSolids;

// The bit of a solid in a set; the last one stands for all from there on.
static inline uint64_t bw_solid_bit(int s)
{
    return (uint64_t)1 << (s < 63 ? s : 63);
}

static inline bool bw_solid_rests(BwPathSolids solids, int s)
{
    return s < 63 && (solids.resting >> s & 1);
}
