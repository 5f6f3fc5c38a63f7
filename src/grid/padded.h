// Sums over samples that several tiles add to. Every awake tile has a block of its own, with a rim of one
// sample around it (-1 to 8 along each axis): what it adds to the samples of its neighbours, or to those on a
// far wall, which no tile owns, stands in the rim. Adding up gives each tile the sums of all blocks on all of
// its samples, the rim included, in the order of tiles, whoever does the work.
#pragma once

#include "base/pool.h"
#include "grid/field.h"

enum { BW_PADDED_SIDE = BW_TILE + 2, BW_PADDED_LAYER = BW_PADDED_SIDE * BW_PADDED_SIDE };

// From a sample to the next along each axis.
static const int bw_padded_stride[3] = {1, BW_PADDED_SIDE, BW_PADDED_LAYER};

typedef struct BwPadded {
    BwNotes notes;
    int width;   // values a sample
    int samples; // a block: those of one value stand together
} BwPadded;

BwResult bw_padded_create(BwPadded *padded, BwGrid *grid, int width, BwError *err);
void bw_padded_destroy(BwPadded *padded); // nothing to do for all zero

// One of the values of a tile.
static inline float *bw_padded_values(const BwPadded *padded, int32_t slot, int value)
{
    return (float *)(void *)bw_note(&padded->notes, slot) + (int64_t)value * padded->samples;
}

// The sample of a tile's cell, and the sample at which a place of the lattice stands, each from -1 to 8.
static inline int bw_padded_of_cell(const BwGrid *grid, int cell)
{
    int at = (cell & 7) + 1 + BW_PADDED_SIDE * ((cell >> 3 & 7) + 1);
    return grid->layers == 1 ? at : at + BW_PADDED_LAYER * ((cell >> 6) + 1);
}

// All values of a tile become 0.
void bw_padded_clear_tile(const BwPadded *padded, int32_t slot);

// The sums of the first `values` of `from`, into those of `to`.
void bw_padded_add_up(const BwPadded *from, const BwPadded *to, int values, BwPool *pool);
