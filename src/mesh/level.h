// The level set of a frame made ready for meshing: in cells, finite, and as coefficients of a cubic B-spline
// where nodes lie between samples.
#pragma once

#include "base/memory.h"
#include "base/pool.h"
#include "mesh/lattice.h"

// Cells below the surface from where on the level set alone tells that there is liquid. Inside a liquid whose
// particles lie unevenly it is not far below that.
#define BW_DEEP 0.6f

typedef struct BwLevel {
    BwAllocator allocator;
    const BwFrame *frame;
    const BwFrameField *phi;
    const BwLattice *lattice;
    float *values;      // cells, tile after tile
    float *spline;      // coefficients; NULL: the values are
    float (*ranges)[2]; // least and most of a tile's coefficients
    int64_t value_capacity, spline_capacity, range_capacity;
    float *coefficients;       // values or spline
    const struct BwWrap *wrap; // what nodes are read from; NULL: the coefficients
    float into_solids;         // cells that the liquid reaches into them
} BwLevel;

// Takes the field "phi" of a 3-D frame.
BwResult bw_level_set(BwLevel *level, const BwFrame *frame, const BwLattice *lattice, BwPool *pool,
                      BwError *err);
void bw_level_free(BwLevel *level);

// The coefficients of a tile and the cells around it, i fastest. Behind walls the level set goes on as
// it does before them, and does not change its sign.
void bw_level_gather(const BwLevel *level, BwTileCoord tile, float cells[BW_LEVEL_CELLS]);

// The range of what bw_level_gather gives for a tile, or a wider one.
void bw_level_range(const BwLevel *level, BwTileCoord tile, float range[2]);

// Takes the largest value within two cells along each axis, for the cells of a gathered tile. Those around it
// are left as they are, or partly so.
void bw_level_spread(float cells[BW_LEVEL_CELLS]);
