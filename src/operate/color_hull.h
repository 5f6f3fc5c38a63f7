// The colours that mixing a list of colours can give: their convex hull. Mixing never leads out of the line
// or plane that the colours lie in, so a mixture of two is told by one number, and one colour by none.
#pragma once

#include "base/error.h"
#include "base/memory.h"

#include <stdbool.h>

// More colours than this are enclosed by planes of fixed directions, a little outside of their hull.
enum { BW_HULL_COLORS_MAX = 32, BW_HULL_PLANES_MAX = 64 };

typedef struct BwColorHull {
    int dimension; // numbers that tell a mixture: 0 to 3
    // Colour = corner + sum over n of coordinate n times axis n. No colour has a coordinate below zero.
    float corner[3], axis[3][3];
    float middle[3]; // coordinates of a place inside
    // Coordinates y lie inside where normal . (y - middle) <= bound, bound above 0, for all planes.
    int plane_count;
    float normal[BW_HULL_PLANES_MAX][3], bound[BW_HULL_PLANES_MAX];
} BwColorHull;

// Fails only for want of memory.
BwResult bw_color_hull_make(BwColorHull *hull, const float (*colors)[3], int count,
                            const BwAllocator *allocator, BwError *err);

void bw_color_hull_coordinates(const BwColorHull *hull, const float color[3], float at[3]);
void bw_color_hull_color(const BwColorHull *hull, const float at[3], float color[3]);

// Of something that is so dense, with coordinates that are multiplied by the density: brings them back into
// the hull, to the nearest place or one beside it.
void bw_color_hull_hold(const BwColorHull *hull, float density, float at[3]);

// How far the same may go along `way`, of that length, as a multiple of it, before it leaves the hull; and if
// asked, no farther than it may go back as well.
float bw_color_hull_room(const BwColorHull *hull, float density, const float at[3], const float way[3],
                         float length, bool and_back);
