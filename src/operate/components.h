// The connected components of a mask: cells that are joined by faces. Tiles find their connected parts by
// themselves, parts are joined to components in the order of tiles: the same for any number of workers.
#pragma once

#include "domain/domain.h"

typedef struct BwComponents {
    BwAllocator allocator;
    BwNotes parts;   // two words a tile: its first connected part, and where its labels are
    int32_t *parent; // by part: the first part of its component
    int64_t parent_capacity;
    uint16_t *labels; // the part within the tile, for the cells of tiles with several
    int64_t label_capacity;
    int32_t part_count;
} BwComponents;

BwResult bw_components_create(BwComponents *components, const BwAllocator *allocator, BwGrid *grid,
                              BwError *err);
void bw_components_destroy(BwComponents *components);

BwResult bw_components_find(BwComponents *components, const BwMask *cells, const BwDomain *domain,
                            BwError *err);

enum { BW_FIRST_PART, BW_FIRST_LABEL, BW_PART_WORDS };

// Instead of the first label: the tile is one part, or holds none.
static const uint64_t bw_one_part = UINT64_MAX, bw_no_part = UINT64_MAX - 1;

static inline bool bw_tile_has_parts(const BwComponents *components, int32_t slot)
{
    return bw_note(&components->parts, slot)[BW_FIRST_LABEL] != bw_no_part;
}

// The part of a cell of the mask.
static inline int32_t bw_part_of(const BwComponents *components, int32_t slot, int cell)
{
    const uint64_t *tile = bw_note(&components->parts, slot);
    bool is_one = tile[BW_FIRST_LABEL] == bw_one_part;
    return (int32_t)tile[BW_FIRST_PART] +
           (is_one ? 0 : components->labels[tile[BW_FIRST_LABEL] + (uint64_t)cell]);
}
