// Writing shapes into fields: what is there at the start, and what emitters hold, add and set in motion
// during a step.
#pragma once

#include "operate/coverage.h"

// Stamps a field inside the cells or faces of `where`. Gives what was added: sum of value changes times cell
// volume (in 2-D times 1 m).
double bw_stamp(const BwDomain *domain, BwField *field, const BwMask *where, const BwStamp *stamp);

// What a source with a velocity of its own lets out in a step.
typedef struct BwEmission {
    BwVec3 velocity; // m/s
    double budget;   // value times volume
    bool fills_up;   // it begins: all that the shape covers is filled up besides
    bool is_flat;    // it has no inside to fill up: every cell takes its part of the budget alone
} BwEmission;

// The same for a value above 0 that is set in such a source. The cells that the shape covers wholly are
// filled up, and those that it covers in part take what is left of the budget, in proportion to what they
// lack of the covered part of the value, and then, on the side that the fluid leaves by, of all of it. So
// what comes out is the budget, whatever the grid.
double bw_stamp_within(const BwDomain *domain, BwField *field, const BwMask *where, const BwStamp *stamp,
                       const BwEmission *out);

// The area of a shape projected along a direction, m^2, of what of it lies in a box; in 2-D its width times
// 1 m.
double bw_shape_projected_area(const BwShape *shape, BwVec3 direction, BwBox within, int dimension);

// Adds the cells to a mask that a stamp covers wholly.
void bw_stamp_mark(const BwDomain *domain, BwMask *mask, const BwStamp *stamp);
