// What a stamp covers of every cell, and of the cell around every face.
#pragma once

#include "domain/domain.h"

typedef enum BwStampKind {
    BW_STAMP_SET, // the value, where the shape is; at its edge at least the covered part of it
    BW_STAMP_ADD, // value times coverage, added
} BwStampKind;

// Texture in space and time: multiplies the value by 1 + amplitude * noise, not below 0.
typedef struct BwStampNoise {
    float amplitude, size, phase; // 1, m, turns of time
    int32_t shift;                // patches along x: another stretch of the same noise
} BwStampNoise;

// What goes with a density, each as an amount for every unit of it (operate/color_hull.h).
typedef struct BwTint {
    BwField *const *fields;
    int count;
    float amount[3]; // of what is stamped
    bool replaces;   // what the shape covers wholly is all of this kind, and not only what was added
} BwTint;

// A shape that is written into a field.
typedef struct BwStamp {
    const BwShape *shape;
    BwPose pose;
    struct BwCoverage *kept; // what it covers, of a shape that stands still; NULL: found anew each time
    BwStampKind kind;
    float value;   // away from `neutral`
    float neutral; // what the field holds where nothing happens: 0, or the ambient temperature
    BwStampNoise noise;
    float shell; // m: not the inside, but what lies this far outside of the surface; 0: the inside
    const BwSolidPose
        *carrier; // the value is a speed along `axis` on top of this solid's own; NULL: it is not
    int axis;
    float dt;            // s, of the carrier's step
    float plate;         // m, thickness of flat shapes, about their plane
    float falloff;       // m, width of a soft edge about the surface; 0: sharp
    bool is_inside_only; // leave cells alone that the shape covers in part
    const BwTint *tint;  // stamped with it; NULL: nothing is
} BwStamp;

// The distance to what is stamped, and whether it reaches into a tile, or nearly.
float bw_stamp_distance(const BwStamp *stamp, BwVec3 point);
bool bw_stamp_is_near(const BwGrid *grid, BwTileCoord coord, const BwStamp *stamp);

// The cells a posed shape may touch, as a box; empty when the shape has no inside. Infinite sides end at the
// grid's bounds, or at `limit` cells.
BwCellBox bw_shape_cells(const BwGrid *grid, const BwShape *shape, BwPose pose, int32_t limit);

// Whether the stamp's edge is soft: wider than a cell, so that the grid shows it.
bool bw_stamp_is_soft(const BwStamp *stamp, const BwGrid *grid);

// The covered part of a tile's samples, 0 to 1. It falls from 1 to 0 over the cell that the surface crosses.
// NULL where the stamp covers nothing; else `found`, or what is kept.
const float *bw_stamp_coverage(const BwStamp *stamp, const BwGrid *grid, int32_t slot, BwLocation location,
                               float found[BW_TILE_CELLS_MAX]);

// Finding volume fractions takes longer than all that is done with them, and a source asks for them many
// times a step. So those of shapes that stand still are kept, tile by tile. All zero is a valid empty one.
typedef struct BwCoveredTile {
    BwTileCoord coord;
    int32_t place; // of its values, in tiles; or one of two marks for tiles without values
} BwCoveredTile;

typedef struct BwCoverageAt {
    BwCoveredTile *tiles; // those the stamp is near, ascending like the grid's
    int64_t count, capacity;
    float *values;
    int64_t value_count, value_capacity; // in tiles; in values
    bool is_whole;                       // all tiles of the grid that the stamp is near are there
} BwCoverageAt;

typedef struct BwCoverage {
    BwCoverageAt at[4]; // by BwLocation: cells and faces
    BwShape shape;      // that they are of; another one is found anew
} BwCoverage;

// Brings what is kept up to the grid's tiles of today; nothing to do for other stamps. Where memory is short
// less is kept, and nothing else changes.
void bw_coverage_prepare(const BwDomain *domain, const BwStamp *stamp, BwLocation location);
void bw_coverage_free(BwCoverage *coverage, const BwAllocator *allocator);
