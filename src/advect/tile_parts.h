// Parts of a tile that walls keep from each other. What holds for a tile as a whole, such as the smoke in it,
// holds for each of them by itself: nothing passes a wall.
#pragma once

#include "domain/domain.h"

enum { BW_PARTS_MAX = 4 };

// The number of each open cell's part, in binary.
typedef struct BwTileParts {
    uint64_t bits[2][BW_TILE];
} BwTileParts;

static inline int bw_part_of(const BwTileParts *parts, int cell)
{
    return (int)(parts->bits[0][cell >> 6] >> (cell & 63) & 1) |
           (int)(parts->bits[1][cell >> 6] >> (cell & 63) & 1) << 1;
}

// Finds the parts of a tile: cells that fluid can get to from each other inside of the tile, without those
// that solids are predicted to cover or sweep; these belong to the part that they are pushed into. Gives how
// many there are; the last of BW_PARTS_MAX is all that is left.
int bw_tile_parts_find(BwTileParts *parts, const BwDomain *domain, int32_t slot);

// Whether walls keep some tiles around a corner of a tile apart from others: fluid cannot get from each to
// each through the sides between them. Tiles whose notes have the bit count for nothing.
bool bw_tile_has_walls_around(const BwDomain *domain, const BwNotes *notes, uint64_t bit, int32_t slot);
