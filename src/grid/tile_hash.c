// The tile table. Linear probing at a load of at most one half; a removed entry is closed by moving later
// ones back, so there are no tombstones and look-ups stay short over any number of wakes and sleeps.
#include "grid/tile_hash.h"

static void insert_entry(BwTileHashEntry *entries, int64_t capacity, uint64_t home, BwTileHashEntry entry)
{
    uint64_t mask = (uint64_t)capacity - 1;
    uint64_t at = home & mask;
    while (entries[at].slot != 0)
        at = (at + 1) & mask;
    entries[at] = entry;
}

BwResult bw_tile_hash_reserve(BwTileHash *hash, const BwAllocator *allocator, int64_t count, BwError *err)
{
    if (2 * count <= hash->capacity)
        return BW_OK;
    int64_t capacity = hash->capacity > 0 ? hash->capacity : 64;
    while (capacity < 2 * count)
        capacity *= 2;
    BwTileHashEntry *entries = bw_alloc_zeroed(allocator, (size_t)capacity * sizeof *entries, BW_ALIGN);
    if (entries == NULL)
        return bw_fail_memory(err);
    // The tag is the part of the hash that picks the place, so growing needs no look at the tiles.
    for (int64_t n = 0; n < hash->capacity; n++)
        if (hash->entries[n].slot != 0)
            insert_entry(entries, capacity, hash->entries[n].tag, hash->entries[n]);
    bw_free(allocator, hash->entries, (size_t)hash->capacity * sizeof *entries, BW_ALIGN);
    hash->entries = entries;
    hash->capacity = capacity;
    return BW_OK;
}

void bw_tile_hash_free(BwTileHash *hash, const BwAllocator *allocator)
{
    bw_free(allocator, hash->entries, (size_t)hash->capacity * sizeof *hash->entries, BW_ALIGN);
    *hash = (BwTileHash){0};
}

void bw_tile_hash_insert(BwTileHash *hash, BwTileCoord coord, int32_t slot)
{
    BW_ASSERT(2 * (hash->count + 1) <= hash->capacity);
    uint32_t tag = (uint32_t)bw_tile_hash_of(coord);
    insert_entry(hash->entries, hash->capacity, tag, (BwTileHashEntry){tag, slot});
    hash->count++;
}

void bw_tile_hash_remove(BwTileHash *hash, BwTileCoord coord, int32_t slot)
{
    uint64_t mask = (uint64_t)hash->capacity - 1;
    uint64_t hole = (uint32_t)bw_tile_hash_of(coord) & mask;
    while (hash->entries[hole].slot != slot)
        hole = (hole + 1) & mask;
    for (uint64_t at = (hole + 1) & mask; hash->entries[at].slot != 0; at = (at + 1) & mask) {
        uint64_t home = hash->entries[at].tag & mask;
        bool may_move = ((at - home) & mask) >= ((at - hole) & mask);
        if (!may_move)
            continue;
        hash->entries[hole] = hash->entries[at];
        hole = at;
    }
    hash->entries[hole] = (BwTileHashEntry){0, 0};
    hash->count--;
}
