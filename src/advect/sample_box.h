// Which samples of a field exist, and the box around all of them. Outside an open side of a box the outermost
// layer of faces is missing; there, as beyond a wall, to drop what is missing (Cline, Cardon and Egbert 2005)
// is the same as to repeat the last sample inside. So where nothing is missing but what lies outside the box,
// samples need no weights.
#pragma once

#include "grid/sample.h"

typedef struct BwSampleBox {
    const BwMask *valid;
    BwLocation location;
    BwCellBox box;    // the cells whose samples exist; as large as the grid's bounds where those are endless
    bool far_face[3]; // one more plane of faces lies on the far wall
} BwSampleBox;

// What a kernel reads around a place. Cubics do not mix repeated samples with real ones but at walls: for
// them the box is that of the grid's bounds.
typedef enum BwStencil { BW_STENCIL_LINEAR, BW_STENCIL_CUBIC } BwStencil;

BwSampleBox bw_sample_box_find(const BwGrid *grid, const BwMask *valid, BwLocation location,
                               BwStencil stencil);

// The same with the grid's bounds as the box.
BwSampleBox bw_sample_box_in_bounds(const BwSampleBox *samples, const BwGrid *grid);

// Whether all of the box that lies in a tile exists; and whether a missing tile leaves no gap in it.
bool bw_sample_box_fill_tile(const BwSampleBox *samples, const BwGrid *grid, int32_t slot);
bool bw_sample_box_fill_beyond(const BwSampleBox *samples, const BwGrid *grid, BwTileCoord coord);

// The place of a tile's neighbour, by its index, whether it is there or not.
static inline BwTileCoord bw_tile_beside(const BwGrid *grid, int32_t slot, int n)
{
    BwTileCoord coord = grid->tiles[slot].coord;
    return (BwTileCoord){coord.x + n % 3 - 1, coord.y + n / 3 % 3 - 1, coord.z + n / 9 - 1};
}

// Both, of a tile and all its neighbours: no block around it needs weights.
bool bw_sample_box_is_full(const BwSampleBox *samples, const BwGrid *grid, int32_t slot);

// The samples of the box along an axis, both ends included, counted from the first of a tile.
typedef struct BwSampleExtent {
    int64_t low, high;
} BwSampleExtent;

BwSampleExtent bw_sample_box_span(const BwSampleBox *samples, const BwGrid *grid, int32_t slot, int axis);
