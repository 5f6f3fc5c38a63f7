// The particles of a frame near the surface of its liquid, with their mirror images behind the walls of the
// box, sorted by tiles and cells. What the level set has deep inside is left out.
#pragma once

#include "mesh/level.h"

enum { BW_NEAR_REACH = 2 }; // cells: how far a particle may matter, and how deep its images lie behind walls

// Cells below the surface from where on the level set alone tells that there is liquid. Inside a liquid whose
// particles lie unevenly it is not far below that.
#define BW_DEEP 0.6f

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
    int32_t *rank; // of what was found, in `list`; -1: not in it
    uint64_t (
        *shallow)[8];     // cells of the frame's tiles that are not deep, or have such cells near; as `live`
    int64_t *blocks;      // where each block of the frame's particles begins in `found`
    int32_t *frame_tiles; // of each tile of the set, in the frame; -1: none
    int32_t *own_tiles;   // and in `tiles`
    int8_t (*bounds)[6];  // the cells of those that have particles: lowest, highest
    int64_t tile_capacity, list_capacity, start_capacity, found_capacity, rank_capacity, block_capacity,
        shallow_capacity, frame_tile_capacity, own_tile_capacity, bound_capacity;
} BwNearParticles;

// The set "water" with its volumes; NULL, with the reason, where a frame has none.
const BwFrameParticles *bw_water_with_volume(const BwFrame *frame, BwError *err);

// Fails for want of memory, and where the frame has no such set.
BwResult bw_near_particles_set(BwNearParticles *near, const BwLevel *level, BwPool *pool, BwError *err);

// The number of a tile in the list; -1: it is not there.
int32_t bw_near_tile(const BwNearParticles *near, BwTileCoord tile);
void bw_near_particles_free(BwNearParticles *near);
