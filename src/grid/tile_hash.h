// From tile coordinate to slot: an open-addressing table. The slow path of the grid; kernels follow linked
// neighbours instead.
#pragma once

#include "base/memory.h"
#include <billow/frame.h>

// An entry keeps half of the hash beside the slot, so that a probe seldom has to look at the tile itself.
typedef struct BwTileHashEntry {
    uint32_t tag;
    int32_t slot; // 0: empty
} BwTileHashEntry;

typedef struct BwTileHash {
    BwTileHashEntry *entries;
    int64_t capacity; // a power of two, at least twice the count
    int64_t count;
} BwTileHash;

static inline uint64_t bw_tile_hash_of(BwTileCoord coord)
{
    uint64_t x = (uint32_t)coord.x, y = (uint32_t)coord.y, z = (uint32_t)coord.z;
    uint64_t hash = (x | y << 32) * 0x9e3779b97f4a7c15u;
    hash = (hash ^ hash >> 32 ^ z * 0xc2b2ae3d27d4eb4fu) * 0xd6e8feb86659fd93u;
    return hash ^ hash >> 32;
}

static inline bool bw_tile_coord_equal(BwTileCoord a, BwTileCoord b)
{
    return a.x == b.x && a.y == b.y && a.z == b.z;
}

// Makes room so that `count` entries can be held without another allocation.
BwResult bw_tile_hash_reserve(BwTileHash *hash, const BwAllocator *allocator, int64_t count, BwError *err);
void bw_tile_hash_free(BwTileHash *hash, const BwAllocator *allocator);

// The tile must not be there yet, and room must have been reserved.
void bw_tile_hash_insert(BwTileHash *hash, BwTileCoord coord, int32_t slot);

// The tile must be there.
void bw_tile_hash_remove(BwTileHash *hash, BwTileCoord coord, int32_t slot);
