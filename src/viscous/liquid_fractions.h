// How much of the cubes around cells, faces and edges is liquid, from the signed distance at cell centres. A
// cell is cut into eight octants (four in 2-D); each is as full as a surface along an axis through its
// distance would leave it. All cubes are unions of octants, so that their volumes agree with one another.
#pragma once

#include "grid/field.h"

typedef struct BwLiquidFractions {
    bool is_full, is_empty;             // all are 1, or 0: the rest is not filled in
    float before[3][BW_TILE_CELLS_MAX]; // of the cell before, along each axis
    float face[3][BW_TILE_CELLS_MAX];   // of a cell's low faces
    float edge[3][BW_TILE_CELLS_MAX];   // of its low edges along each axis; in 2-D the third alone
} BwLiquidFractions;

// Of the cells of a tile. Beyond the bounds the liquid goes on as it is inside.
void bw_liquid_fractions_find(BwLiquidFractions *fractions, const BwField *phi, int32_t slot);

// Whether any liquid is so near to a tile that it can matter to its faces.
bool bw_liquid_is_near(const BwField *phi, int32_t slot);
