// The cell of its tile that a particle is in.
#pragma once

#include "base/extremes.h"
#include <billow/frame.h>

// Particles on the rim of a tile are in its last cell, or its first.
static inline int bw_cell_along(float place)
{
    return (int)bw_smaller(bw_larger(place, 0.0f), (float)(BW_TILE - 1));
}

// `position` counts from the tile's corner.
static inline int bw_particle_cell(BwVec3 position, float cells_per_metre)
{
    return bw_cell_along(position.x * cells_per_metre) | bw_cell_along(position.y * cells_per_metre) << 3 |
           bw_cell_along(position.z * cells_per_metre) << 6;
}
