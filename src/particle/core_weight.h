// The core of a liquid as weights of the hat function around samples.
#pragma once

#include "particle/core.h"

typedef enum BwCoreFill { BW_CORE_NONE, BW_CORE_PART, BW_CORE_ALL } BwCoreFill;

// How much of a tile, with one cell around it, is core.
BwCoreFill bw_core_fill(const BwGrid *grid, const BwCore *core, int32_t slot);

// The part of the hat function around each of a tile's faces of an axis that lies in the core; and the share
// of that around its cells' centres which the core fills, by what its cells hold. Room for BW_TILE_CELLS_MAX.
void bw_core_face_weights(const BwGrid *grid, const BwCore *core, int32_t slot, int axis,
                          float *restrict weight);
void bw_core_shares(const BwGrid *grid, const BwCore *core, int32_t slot, float *restrict share);
