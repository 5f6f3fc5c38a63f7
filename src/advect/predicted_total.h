// Amounts beside solids that move. What is advected is advected among the cells that were open; of those,
// solids will cover some, and they will leave others. Cells that they left, or passed over, take after what
// is beside them (bw_fill_uncovered). So what counts of a field beside moving solids is what it will come to.
#pragma once

#include "advect/tile_parts.h"

// The sum of a tile's values over some of its cells, as it will be once the solids are where they are
// predicted; as it is where nothing is predicted. Of one part of the tile only, where `parts` is not NULL.
double bw_predicted_sum(const BwDomain *domain, const uint64_t cells[BW_TILE], const float *values,
                        const BwTileParts *parts, int part, int32_t slot);

// The total of a field over the open cells, predicted, times cell volume.
double bw_predicted_total(const BwDomain *domain, const BwField *field);

// Once solids have moved and the cells that they swept are filled (bw_fill_uncovered): brings what these hold
// in each tile to what was predicted. `others` are amounts that go with the field.
void bw_level_swept(const BwDomain *domain, BwField *field, BwField *const *others, int other_count);
