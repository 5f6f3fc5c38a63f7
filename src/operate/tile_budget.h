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

typedef struct BwSideFlowOptions {
    const BwMask *held; // through the surface of a source fluid comes out of the held cell there; or NULL
    const BwSamples *samples; // of the field that passes
    BwStencil stencil;
    float cells_per_speed; // dt / h
} BwSideFlowOptions;

// Where the fluid that passes the tile's low sides comes from. The tracer must have found where the paths of
// its cells begin; the places reach no less far than those.
void bw_side_flow_find(BwSideFlow *flow, const BwTracer *tracer, const BwPaths *paths, const BwDomain *domain,
                       const BwVelocity *velocity, int32_t slot, const BwSideFlowOptions *options);

// Notes what of a field passes. `block` holds the field around the tile, as far as the flow's places reach.
void bw_tile_budget_note(BwTileBudget *budget, BwSideFlow *flow, BwSamplerBlock *block, const BwGrid *grid,
                         BwStencil stencil, int f, int32_t slot);

// Notes that nothing passes, or that nobody knows what does.
void bw_tile_budget_note_none(BwTileBudget *budget, const BwGrid *grid, int f, int32_t slot, bool is_known);

// What came into a tile through all its sides, above the field's background; NaN where that is not known, or
// where outside air, which the flow does not keep full, holds some of the field.
double bw_tile_budget_gain(const BwTileBudget *budget, const BwDomain *domain, const BwField *field, int f,
                           int32_t slot);
