// The hash of regions. Invariant: it is never more than half full, so that a search always ends.
#include "render/brick_map.h"

#include <string.h>

static uint64_t place_hash(int32_t x, int32_t y, int32_t z)
{
    uint64_t hash = (uint64_t)(uint32_t)x * 0x9e3779b97f4a7c15u;
    hash = (hash ^ (uint32_t)y) * 0xff51afd7ed558ccdu;
    hash = (hash ^ (uint32_t)z) * 0xc4ceb9fe1a85ec53u;
    return hash ^ hash >> 29;
}

static bool is_at(const BwRegion *region, int32_t x, int32_t y, int32_t z)
{
    return region->place[0] == x && region->place[1] == y && region->place[2] == z;
}

// The hash slot that holds the region, or the free one where it would go.
static int64_t region_slot(const BwBrickMap *map, int32_t x, int32_t y, int32_t z)
{
    uint64_t mask = (uint64_t)map->slot_count - 1;
    uint64_t slot = place_hash(x, y, z) & mask;
    while (map->slots[slot] != 0 && !is_at(&map->regions[map->slots[slot] - 1], x, y, z))
        slot = (slot + 1) & mask;
    return (int64_t)slot;
}

const BwRegion *bw_brick_map_region(const BwBrickMap *map, int32_t x, int32_t y, int32_t z)
{
    if (map->region_count == 0)
        return NULL;
    int32_t index = map->slots[region_slot(map, x, y, z)];
    return index > 0 ? &map->regions[index - 1] : NULL;
}

// Doubles the hash before it is more than half full.
static BwResult grow_slots(BwBrickMap *map, const BwAllocator *allocator, BwError *err)
{
    int64_t wanted = 64;
    while (wanted < 2 * (map->region_count + 1))
        wanted *= 2;
    if (wanted <= map->slot_count)
        return BW_OK;
    BW_TRY(bw_reserve(allocator, (void **)&map->slots, &map->slot_capacity, wanted, sizeof *map->slots, err));
    map->slot_count = wanted;
    memset(map->slots, 0, (size_t)wanted * sizeof *map->slots);
    for (int64_t n = 0; n < map->region_count; n++) {
        const int32_t *place = map->regions[n].place;
        map->slots[region_slot(map, place[0], place[1], place[2])] = (int32_t)n + 1;
    }
    return BW_OK;
}

BwResult bw_brick_map_make(BwBrickMap *map, const BwAllocator *allocator, const int32_t place[3],
                           int32_t **index, BwError *err)
{
    int32_t x = place[0] >> 3, y = place[1] >> 3, z = place[2] >> 3;
    BW_TRY(grow_slots(map, allocator, err));
    int64_t slot = region_slot(map, x, y, z);
    if (map->slots[slot] == 0) {
        BW_TRY(bw_reserve(allocator, (void **)&map->regions, &map->region_capacity, map->region_count + 1,
                          sizeof *map->regions, err));
        BwRegion *fresh = &map->regions[map->region_count++];
        memcpy(fresh->place, (int32_t[3]){x, y, z}, sizeof fresh->place);
        memset(fresh->bricks, -1, sizeof fresh->bricks);
        map->slots[slot] = (int32_t)map->region_count;
    }
    *index = &map->regions[map->slots[slot] - 1].bricks[bw_brick_slot(place)];
    return BW_OK;
}

int32_t *bw_brick_map_at(BwBrickMap *map, const int32_t place[3])
{
    int32_t slot = map->slots[region_slot(map, place[0] >> 3, place[1] >> 3, place[2] >> 3)];
    BW_ASSERT(slot > 0);
    return &map->regions[slot - 1].bricks[bw_brick_slot(place)];
}

void bw_brick_map_unbound(BwBrickMap *map)
{
    for (int a = 0; a < 3; a++) {
        map->low[a] = INT32_MAX;
        map->high[a] = INT32_MIN;
    }
}

void bw_brick_map_include(BwBrickMap *map, const int32_t place[3])
{
    for (int a = 0; a < 3; a++) {
        map->low[a] = place[a] < map->low[a] ? place[a] : map->low[a];
        map->high[a] = place[a] > map->high[a] ? place[a] : map->high[a];
    }
}

void bw_brick_map_clear(BwBrickMap *map)
{
    map->region_count = map->slot_count = 0;
    bw_brick_map_unbound(map);
}

void bw_brick_map_free(BwBrickMap *map, const BwAllocator *allocator)
{
    bw_free(allocator, map->regions, (size_t)map->region_capacity * sizeof *map->regions, BW_ALIGN);
    bw_free(allocator, map->slots, (size_t)map->slot_capacity * sizeof *map->slots, BW_ALIGN);
    *map = (BwBrickMap){0};
}
