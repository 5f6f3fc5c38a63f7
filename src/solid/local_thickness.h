// Where a solid is thick: there a short way between two points outside of it does not lead through it, from
// one side to the other, but at most past a bulge of it. Who knows that need not ask what the way crosses.
#pragma once

#include "solid/distance_grid.h"
#include <billow/shape.h>

// Finds where the triangles of a grid bound something thick. Without an inside that is the same everywhere
// whoever is asked, as in a soup that crosses itself, nothing is thick.
BwResult bw_local_thickness_find(BwDistanceGrid *grid, const BwDistanceGridDef *def, BwError *err);

// Whether all ways from a point outside of a shape to others outside, no longer than `length`, lead around
// it. False where that is not known.
bool bw_shape_is_thick(const BwShape *shape, BwVec3 point, float length);

// The longest that such ways may be from all points within a radius; 0 where no quick answer is known.
float bw_shape_thick_around(const BwShape *shape, BwVec3 center, float radius);
