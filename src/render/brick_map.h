// Where bricks are: a brick is a cube of 8^3 spacings of a lattice, and regions of 8^3 bricks are found by a
// hash of their place, so that rays pass regions without any brick in one step.
#pragma once

#include "base/memory.h"

#include <stdint.h>

enum { BW_BRICK = 8, BW_REGION = 8, BW_REGION_BRICKS = 512 };

typedef struct BwRegion {
    int32_t place[3];                 // in regions
    int32_t bricks[BW_REGION_BRICKS]; // index, or -1; x fastest
} BwRegion;

typedef struct BwBrickMap {
    int32_t low[3], high[3]; // places of bricks, both inclusive; empty when low > high
    BwRegion *regions;
    int64_t region_count, region_capacity;
    int32_t *slots; // hash of regions: index + 1, or 0 where free
    int64_t slot_count, slot_capacity;
} BwBrickMap;

// Forgets all bricks, and keeps the memory.
void bw_brick_map_clear(BwBrickMap *map);
void bw_brick_map_free(BwBrickMap *map, const BwAllocator *allocator);

// The index of the brick at a place, to be read or set; its region is made where there is none. Borrowed
// until the next call.
BwResult bw_brick_map_make(BwBrickMap *map, const BwAllocator *allocator, const int32_t place[3],
                           int32_t **index, BwError *err);

// The same of a brick that is there.
int32_t *bw_brick_map_at(BwBrickMap *map, const int32_t place[3]);

// Empties the bounds, and takes a place into them.
void bw_brick_map_unbound(BwBrickMap *map);
void bw_brick_map_include(BwBrickMap *map, const int32_t place[3]);

// The region at a place in regions, or NULL.
const BwRegion *bw_brick_map_region(const BwBrickMap *map, int32_t x, int32_t y, int32_t z);

static inline int bw_brick_slot(const int32_t place[3])
{
    return ((place[2] & (BW_REGION - 1)) * BW_REGION + (place[1] & (BW_REGION - 1))) * BW_REGION +
           (place[0] & (BW_REGION - 1));
}
