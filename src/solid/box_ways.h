// Straight ways past a box, turned, moved or scaled, by its sides: where one enters it, and which of eight
// places it hides from another. Both are found without a distance.
#pragma once

#include <billow/shape.h>

enum { BW_SEEN = 8 };

// Of eight places, a bit each.
typedef struct BwSeen {
    uint8_t inside; // of the shape
    uint8_t hidden; // outside of it, but it stands between
} BwSeen;

// How a shape lets eight places `to` be seen from one outside of it; false if the shape is no box. `to` is
// lost.
bool bw_box_seen(const BwShape *shape, BwVec3 from, float to[3][BW_SEEN], BwSeen *seen);

// Whether a shape is a box, moved or not.
bool bw_shape_is_box(const BwShape *shape);

// At what share of a way from outside a box is entered, 2 if nowhere: a way along a side does not enter.
// False if the shape is no box.
bool bw_box_entered(const BwShape *shape, BwVec3 from, BwVec3 to, float *share);
