// What passes through the sides of each tile in a step, so that a scheme that does not keep totals can be
// held to them tile by tile: a tile's new total is its old one and what came in through its sides. What
// leaves one tile enters the next, so nothing is made or lost; and no total of the whole is ever looked at.
#pragma once

#include "operate/trace.h"

enum { BW_BUDGET_FIELDS = 2 };

typedef struct BwTileBudget {
    BwNotes passed[3]; // through the low side along each axis, upwards: a float for each field, in cells
} BwTileBudget;

BwResult bw_tile_budget_create(BwTileBudget *budget, BwGrid *grid, BwError *err);
void bw_tile_budget_destroy(BwTileBudget *budget);

// One worker's memory: the tile's low faces, and on each path through one two places.
typedef struct BwSideFlow {
    float at[3][BW_TILE_CELLS_MAX];
    float passed[BW_TILE_CELLS_MAX]; // of the face's fluid at each place, in cells
    float value[BW_TILE_CELLS_MAX];
    BwPlaces places;
    int count;
} BwSideFlow;

// Where the fluid that passes the tile's low sides comes from: through the surface of a source, out of the
// `held` cell there. The tracer must have looked at the tile.
void bw_side_flow_find(BwSideFlow *flow, const BwTracer *tracer, const BwPaths *paths, const BwDomain *domain,
                       const BwVelocity *velocity, const BwMask *held, int32_t slot, float cells_per_speed);

// Notes what of a field passes. `block` holds the field around the tile, one further for cubics.
void bw_tile_budget_note(BwTileBudget *budget, BwSideFlow *flow, BwSamplerBlock *block, const BwGrid *grid,
                         bool is_cubic, int f, int32_t slot);

// Notes that nothing passes, or that nobody knows what does.
void bw_tile_budget_note_none(BwTileBudget *budget, const BwGrid *grid, int f, int32_t slot, bool is_known);

// What came into a tile through all its sides, above the field's background; NaN where that is not known, or
// where outside air, which the flow does not keep full, holds some of the field.
double bw_tile_budget_gain(const BwTileBudget *budget, const BwDomain *domain, const BwField *field, int f,
                           int32_t slot);
