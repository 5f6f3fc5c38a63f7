// The particles of a frame near the surface of its liquid, with their mirror images behind the walls of the
// box, sorted by tiles and cells. What the level set has deep inside is left out, or all but what is near
// thin liquid.
#pragma once

#include "mesh/thin_liquid.h"

enum { BW_NEAR_REACH = 2 }; // cells: how far a particle may matter, and how deep its images lie behind walls

typedef struct BwNearParticle {
    BwVec3 place;   // cells from the anchor
    float volume;   // cells
    int32_t tile;   // in the list of tiles; -1: it matters to none
    int32_t source; // of an image, the number of its particle before sorting
    uint16_t cell;
    uint8_t flips; // axes along which it is an image, by bits
    bool is_deep;
} BwNearParticle;

typedef struct BwNearParticles {
    BwAllocator allocator;
    BwTileCoord *tiles; // sorted: all that particles may matter to
    int64_t tile_count;
    BwNearParticle *list; // sorted
    int64_t count;
    int32_t *starts;       // of each cell of the tiles in `list`, and the end of the last
    BwNearParticle *found; // in the order of the frame
    int64_t found_count;
    int32_t *rank;         // of what was found, in `list`; -1: not in it
    uint64_t (*wanted)[8]; // cells of the frame's tiles whose particles matter; as `live`
    int64_t *blocks;       // where each block of the frame's particles begins in `found`
    int32_t *frame_tiles;  // of each tile of the set, in the frame; -1: none
    int32_t *own_tiles;    // and in `tiles`
    int8_t (*bounds)[6];   // the cells of those that have particles: lowest, highest
    int64_t tile_capacity, list_capacity, start_capacity, found_capacity, rank_capacity, block_capacity,
        wanted_capacity, own_tile_capacity, bound_capacity;
} BwNearParticles;

// Of the set "water", whose cells these are: all near the surface, or those near thin liquid alone.
BwResult bw_near_particles_set(BwNearParticles *near, const BwLevel *level, const BwWetCells *wet,
                               const BwThinLiquid *thin, BwPool *pool, BwError *err);

// The number of a tile in the list; -1: it is not there.
int32_t bw_near_tile(const BwNearParticles *near, BwTileCoord tile);
void bw_near_particles_free(BwNearParticles *near);
