// From one level of the pyramid to the next, in four stages: which coarse tiles there are (coarsen.c), which
// fine nodes a coarse one stands for (coarsen_split.c), couplings that fit no tile (coarsen_explicit.c), and
// the coefficients of the tiles (coarsen_tiles.c). This header is what the stages share; others want
// bw_level_coarsen.
#pragma once

#include "poisson/pyramid.h"

// Of a fine coupling in the coarse one it is part of, and of what couples a fine cell to fixed values.
#define BW_COUPLING_SCALE 0.5f
#define BW_FIXED_SCALE    0.9f

// Where a coarse value changes for what a fine coupling or an extra brings: a row of BwTileCouplings, then
// the diagonal beyond couplings, then mass.
enum { BW_ADD_EXTRA = BW_BESIDE_COUNT, BW_ADD_MASS };

typedef struct BwAddition {
    int32_t node;
    int32_t row;
    float value;
} BwAddition;

typedef struct BwExplicit {
    int32_t node, other;
    float weight;
} BwExplicit;

typedef struct BwCoarsening {
    const BwPyramid *pyramid;
    BwLevel *fine, *coarse;
    int32_t *extras_of_tile; // by fine tile: coarse extras made there, then the number of the first
    BwExplicit *explicit;
    BwAddition *additions;
    int64_t explicit_count, addition_count;
} BwCoarsening;

// The coarse cell, in its tile, of a cell in a fine tile.
static inline int bw_coarse_cell(const BwLevel *fine, int32_t t, int cell)
{
    BwTileCoord c = fine->coord[t];
    int x = (cell & 7) + 8 * (c.x & 1), y = (cell >> 3 & 7) + 8 * (c.y & 1);
    int z = fine->layers == 1 ? 0 : (cell >> 6) + 8 * (c.z & 1);
    return x / 2 + 8 * (y / 2) + 64 * (z / 2);
}

// The node's entry among the exceptions of tile t, or NULL.
static inline const BwException *bw_exception_find(const BwLevel *fine, int32_t t, int32_t node)
{
    int32_t low = fine->exception_first[t], high = fine->exception_first[t + 1] - 1;
    while (low <= high) {
        int32_t middle = low + (high - low) / 2;
        if (fine->exceptions[middle].node == node)
            return &fine->exceptions[middle];
        if (fine->exceptions[middle].node < node)
            low = middle + 1;
        else
            high = middle - 1;
    }
    return NULL;
}

static inline bool bw_has_exceptions(const BwLevel *level, int32_t t)
{
    return level->exception_first[t] < level->exception_first[t + 1];
}

static inline bool bw_is_exception(const BwLevel *level, int32_t node)
{
    return bw_exception_find(level, node / level->cells, node) != NULL;
}

// Does the coupling of this cell to one side cross a period that the coarse tiles do not fit?
static inline bool bw_crosses_seam(const BwCoarsening *job, int32_t t, int cell, int side)
{
    int axis = side / 2;
    int32_t period = job->fine->period[axis];
    if (period == 0 || period % BW_TILE != 0 || job->coarse->period[axis] % BW_TILE == 0)
        return false;
    BwTileCoord coord = job->fine->coord[t];
    int32_t tile = axis == 0 ? coord.x : axis == 1 ? coord.y : coord.z;
    int32_t at = tile * BW_TILE + (cell >> (3 * axis) & 7);
    return side % 2 ? at == period - 1 : at == 0;
}

static inline bool bw_touches_seam(const BwCoarsening *job, int32_t t)
{
    return bw_crosses_seam(job, t, 0, BW_X_LOW) || bw_crosses_seam(job, t, 7, BW_X_HIGH) ||
           bw_crosses_seam(job, t, 0, BW_Y_LOW) || bw_crosses_seam(job, t, 56, BW_Y_HIGH) ||
           bw_crosses_seam(job, t, 0, BW_Z_LOW) || bw_crosses_seam(job, t, 448, BW_Z_HIGH);
}

// The node on the next level that a node goes to, or -1; once bw_coarsen_split is done.
int32_t bw_level_coarse_node(const BwLevel *fine, const BwLevel *coarse, int32_t node);

// The stages after the first, in order.
BwResult bw_coarsen_split(BwCoarsening *job, BwError *err);
BwResult bw_coarsen_explicit(BwCoarsening *job, BwError *err);
BwResult bw_coarsen_tiles(BwCoarsening *job, BwError *err);
