// Writing shapes into fields: what is there at the start, and what emitters hold, add and set in motion
// during a step.
#pragma once

#include "operate/domain.h"

typedef enum BwStampKind {
    BW_STAMP_HOLD, // the value, where the shape is; at its edge at least the covered part of it
    BW_STAMP_ADD,  // value times coverage, added
} BwStampKind;

// Texture in space and time: multiplies the value by 1 + amplitude * noise, not below 0.
typedef struct BwStampNoise {
    float amplitude, size, phase; // 1, m, turns of time
    int32_t shift;                // patches along x: another stretch of the same noise
} BwStampNoise;

typedef struct BwStamp {
    const BwShape *shape;
    BwPose pose;
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
} BwStamp;

// Stamps a field inside the cells or faces of `where`. Coverage falls from 1 to 0 over the cell that the
// surface crosses. Gives what was added: sum of value changes times cell volume (in 2-D times 1 m).
double bw_stamp(const BwDomain *domain, BwField *field, const BwMask *where, const BwStamp *stamp);

// What a source with a velocity of its own lets out in a step.
typedef struct BwLetOut {
    BwVec3 velocity; // m/s
    double budget;   // value times volume
    bool fills_up;   // it begins: all that the shape covers is filled up besides
    bool is_flat;    // it has no inside to fill up: every cell takes its part of the budget alone
} BwLetOut;

// The same for a value above 0 that is held in such a source. The cells that the shape covers wholly are
// filled up, and those that it covers in part take what is left of the budget, in proportion to what they
// lack of the covered part of the value, and then, on the side that the fluid leaves by, of all of it. So
// what comes out is the budget, whatever the grid.
double bw_stamp_within(const BwDomain *domain, BwField *field, const BwMask *where, const BwStamp *stamp,
                       const BwLetOut *out);

// The area of a shape's shadow along a direction, m^2, of what of it lies in a box; in 2-D its width times
// 1 m.
double bw_shape_shadow(const BwShape *shape, BwVec3 direction, BwBox within, int dimension);

// Whether a stamp reaches into the tile, or nearly; the distance to what is stamped; and whether it covers a
// tenth of the cell around a point.
bool bw_stamp_is_near(const BwGrid *grid, BwTileCoord coord, const BwStamp *stamp);
float bw_stamp_distance(const BwStamp *stamp, BwVec3 point);
bool bw_stamp_covers(const BwStamp *stamp, const BwGrid *grid, BwVec3 point);

// Adds the cells to a mask that a stamp covers wholly.
void bw_stamp_mark(const BwDomain *domain, BwMask *mask, const BwStamp *stamp);

// The cells a posed shape may touch, as a box; empty when the shape has no inside. Infinite sides end at the
// grid's bounds, or at `limit` cells.
BwCellBox bw_shape_cells(const BwGrid *grid, const BwShape *shape, BwPose pose, int32_t limit);
