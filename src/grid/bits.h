// Masks of cells, a word a layer: bit 8 j + i. Neighbours of all 64 cells at once, by shifts.
#pragma once

#include "grid/field.h"

#define BW_COLUMN UINT64_C(0x0101010101010101) // the cells with i = 0
#define BW_ROW    UINT64_C(0xff)               // the cells with j = 0

// For each cell the bit of the one beside it, the rim taken from the tile there.
static inline uint64_t bw_bits_x_low(uint64_t word, uint64_t left)
{
    return (word & ~(BW_COLUMN << 7)) << 1 | (left >> 7 & BW_COLUMN);
}

static inline uint64_t bw_bits_x_high(uint64_t word, uint64_t right)
{
    return (word & ~BW_COLUMN) >> 1 | (right & BW_COLUMN) << 7;
}

static inline uint64_t bw_bits_y_low(uint64_t word, uint64_t below)
{
    return word << 8 | below >> 56;
}

static inline uint64_t bw_bits_y_high(uint64_t word, uint64_t above)
{
    return word >> 8 | above << 56;
}

// Which words a tile's bits come from: a mask, or the live cells of the grid where the mask is NULL.
static inline const uint64_t *bw_words(const BwGrid *grid, const BwMask *mask, int32_t slot)
{
    return mask != NULL ? bw_mask_tile(mask, slot) : grid->tiles[slot].live;
}

// The neighbours' bits across one side of a tile's layer: side 0 x low, 1 x high, 2 y low, ..., as BwSide.
static inline uint64_t bw_bits_beside(const BwGrid *grid, const BwMask *mask, int32_t slot, int side, int k)
{
    const int32_t *neighbour = grid->tiles[slot].neighbour;
    const uint64_t *own = bw_words(grid, mask, slot),
                   *other = bw_words(grid, mask, neighbour[bw_side_neighbour[side]]);
    switch (side) {
    case 0:
        return bw_bits_x_low(own[k], other[k]);
    case 1:
        return bw_bits_x_high(own[k], other[k]);
    case 2:
        return bw_bits_y_low(own[k], other[k]);
    case 3:
        return bw_bits_y_high(own[k], other[k]);
    case 4:
        return k > 0 ? own[k - 1] : other[grid->layers - 1];
    default:
        return k + 1 < grid->layers ? own[k + 1] : other[0];
    }
}

// The cell beside one of a tile's, and the tile that it is in, maybe the next.
static inline int32_t bw_cell_beside(const BwGrid *grid, int32_t slot, int *cell, int side)
{
    int axis = side / 2, last = 7 << (3 * axis), step = 1 << (3 * axis);
    bool is_rim = (*cell & last) == (side % 2 == 0 ? 0 : last);
    *cell += side % 2 == 0 ? (is_rim ? last : -step) : (is_rim ? -last : step);
    return is_rim ? grid->tiles[slot].neighbour[bw_side_neighbour[side]] : slot;
}

// The sample of a field beside one of a tile's.
static inline float bw_value_beside(const BwField *field, int32_t slot, int cell, int side)
{
    int32_t beside = bw_cell_beside(field->store.grid, slot, &cell, side);
    return bw_field_tile(field, beside)[cell];
}
