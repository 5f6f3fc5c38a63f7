// What passes through the sides of each tile in a step, so that a scheme that does not keep totals can be
// held to them tile by tile: a tile's new total is its old one and what came in through its sides. What
// leaves one tile enters the next, so nothing is made or lost; and no total of the whole is ever looked at.
#pragma once

#include "advect/tile_parts.h"
#include "advect/trace.h"

enum { BW_BUDGET_FIELDS = 2 };

// Of a tile that has parts, or whose tile below along an axis has: what passes the low sides, by the parts of
// the tile itself and of the one below; and `left` (see below) by its own parts.
typedef struct BwPartFlow {
    float passed[3][BW_PARTS_MAX][BW_PARTS_MAX][BW_BUDGET_FIELDS];
    float left[BW_PARTS_MAX][BW_BUDGET_FIELDS];
    uint64_t count; // of parts of the tile; 0 and 1: it is whole
} BwPartFlow;

// What sources hold counts for nothing: a tile's total is that of its other cells, and the surface of a
// source is one of its sides. So what comes out of a source is what the flow takes through its surface, and
// neither limits nor interpolation beside it make more or less of it.
typedef struct BwTileBudget {
    BwNotes parts;        // a BwPartFlow
    BwNotes passed[3];    // through the low side along each axis, upwards: a float for each field, in cells
    BwNotes to_source[3]; // of that, into cells that sources hold
    BwNotes of_source[3]; // of that, out of such cells
    BwNotes from_source;  // through the surfaces of sources inside the tile, out of them
    BwNotes left;         // of what came in, or has to go, what there was no room for around the tile
} BwTileBudget;

BwResult bw_tile_budget_create(BwTileBudget *budget, BwGrid *grid, BwError *err);
void bw_tile_budget_destroy(BwTileBudget *budget);

// One worker's memory: the tile's low faces, and on each path through one two places.
typedef struct BwSideFlow {
    float at[3][BW_TILE_CELLS_MAX];
    float passed[BW_TILE_CELLS_MAX]; // of the face's fluid at each place, in cells
    float value[BW_TILE_CELLS_MAX];
    bool is_to_source[BW_TILE_CELLS_MAX], is_of_source[BW_TILE_CELLS_MAX]; // the cells beside the face
    BwBlockPoints places;
    int count;
    float cells_per_speed; // dt / h
} BwSideFlow;

typedef struct BwSideFlowOptions {
    const BwMask *sources;      // out of whose cells fluid comes through the surface of a source; or NULL
    const BwSampleBox *samples; // of the field that passes
    BwStencil stencil;
    float cells_per_speed; // dt / h
} BwSideFlowOptions;

// Where the fluid that passes the tile's low sides comes from. The tracer must have found where the paths of
// its cells begin; the places reach no less far than those.
void bw_side_flow_find(BwSideFlow *flow, const BwTracer *tracer, const BwPaths *paths, const BwDomain *domain,
                       const BwVelocity *velocity, int32_t slot, const BwSideFlowOptions *options);

// Notes what of a field passes. `block` holds the field around the tile, as far as the flow's places reach.
void bw_tile_budget_note(BwTileBudget *budget, BwSideFlow *flow, BwInterpolationBlock *block,
                         const BwGrid *grid, BwStencil stencil, int f, int32_t slot);

// Notes how many parts a tile has. All tiles must be noted before what passes between them is.
void bw_tile_budget_set_parts(BwTileBudget *budget, int32_t slot, int count);

// Notes the same by parts, of the tile and of those below along each axis; NULL where one is whole. The flow
// is that of the note above, or NULL: then all is `otherwise`.
void bw_tile_budget_note_parts(BwTileBudget *budget, const BwSideFlow *flow, float background,
                               const BwTileParts *own, const BwTileParts *const below[3], int f, int32_t slot,
                               float otherwise);

// What came into a part of a tile through its sides, above the field's background; NaN where that is not
// known.
double bw_tile_budget_gain_of_part(const BwTileBudget *budget, int part, int f, int32_t slot);

// Notes what of a field comes out of sources inside the tile, less what goes into them.
void bw_tile_budget_note_sources(BwTileBudget *budget, const BwSideFlow *flow, const BwDomain *domain,
                                 const BwVelocity *velocity, const BwMask *sources, const BwField *field,
                                 int f, int32_t slot);

// Notes that nothing passes, or that nobody knows what does.
void bw_tile_budget_note_none(BwTileBudget *budget, const BwGrid *grid, int f, int32_t slot, bool is_known);

// What came into the cells of a tile that no source holds through all their sides, above the field's
// background; NaN where that is not known, or
// where outside air, which the flow does not keep full, holds some of the field.
double bw_tile_budget_gain(const BwTileBudget *budget, const BwDomain *domain, const BwField *field, int f,
                           int32_t slot);

// What came into all cells of a tile through its sides, above the field's background; NaN where that is not
// known.
double bw_tile_budget_gain_of_all(const BwTileBudget *budget, const BwGrid *grid, int f, int32_t slot);

// Notes what of a part of a tile, or of a whole one (part 0), neither its cells nor those around could take,
// or (below zero) give.
void bw_tile_budget_note_left(BwTileBudget *budget, int part, int f, int32_t slot, float left);

// What a part of a tile gets back of what its neighbours could not take, less what it gives back to those
// that could not give: to each of the tiles around goes as much as passed between the two.
float bw_tile_budget_returned(const BwTileBudget *budget, const BwGrid *grid, int part, int f, int32_t slot);
