// What the surface of a liquid and its volume both ask of the shares that particles fill.
#pragma once

#include "base/extremes.h"
#include "grid/block.h"

// Less than this is spray, which has no surface.
#define BW_THIN_SHARE 0.25f

// What a body of liquid fills somewhere around its surface.
#define BW_BULK_SHARE 0.9f

static inline void bw_largest_of_three(float *block, int stride, int count)
{
    float before = block[0];
    for (int n = 1; n < count - 1; n++) {
        float own = block[n * stride];
        block[n * stride] = bw_larger(bw_larger(before, own), block[(n + 1) * stride]);
        before = own;
    }
}

// Each sample of a padded block, up to so many cells beyond the tile, becomes the largest of the 27 around
// it, of those that the tile has around.
static inline void bw_largest_around(float block[BW_BLOCK_CELLS], int layers, int beyond)
{
    const int rim = BW_HALO - 1 - beyond, side = BW_TILE + 2 + 2 * beyond;
    int low = layers == 1 ? 0 : rim, high = layers == 1 ? 1 : rim + side;
    for (int k = low; k < high; k++)
        for (int j = rim; j < rim + side; j++)
            bw_largest_of_three(block + rim + BW_BLOCK * j + BW_BLOCK_LAYER * k, 1, side);
    for (int k = low; k < high; k++)
        for (int i = rim; i < rim + side; i++)
            bw_largest_of_three(block + i + BW_BLOCK * rim + BW_BLOCK_LAYER * k, BW_BLOCK, side);
    for (int j = rim; j < rim + side && layers > 1; j++)
        for (int i = rim; i < rim + side; i++)
            bw_largest_of_three(block + i + BW_BLOCK * j + BW_BLOCK_LAYER * rim, BW_BLOCK_LAYER, side);
}

// All shares of a tile are 0, or none is less than 1.
typedef enum BwShareFill { BW_SHARE_EMPTY, BW_SHARE_FULL, BW_SHARE_PART } BwShareFill;

static inline BwShareFill bw_share_fill(const float *share, int count)
{
    float low = share[0], high = share[0];
    for (int n = 1; n < count; n++) {
        low = bw_smaller(low, share[n]);
        high = bw_larger(high, share[n]);
    }
    return high <= 0.0f ? BW_SHARE_EMPTY : low >= 1.0f ? BW_SHARE_FULL : BW_SHARE_PART;
}
