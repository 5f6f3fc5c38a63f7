// Whether a solid has walls thinner than something: those of a cup, or a plate.
#pragma once

#include <billow/scene.h>

// The part of a shape's surface behind which it ends again within a depth, m, as the points of a lattice
// tell; 0 where it has no end or the lattice does not find its surface.
double bw_shape_part_thin(const BwShape *shape, float depth, int dimension);
