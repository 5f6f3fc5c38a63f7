// The nodes of one tile: what the level set is on them, which are inside the liquid, and where the edges
// between them cross its surface. Liquid is where phi is below 0, outside of solids and between the walls.
#pragma once

#include "mesh/level.h"

// What a vertex may not leave: a plane across each axis, by bits; BW_ON_CAP: it is a vertex of the flat face
// on a wall, away from the liquid's surface; BW_ON_SOLID: where liquid and solid meet.
enum { BW_ON_CAP = 8, BW_ON_SOLID = 16 };

typedef struct BwVertex {
    BwVec3 place;  // cells from the anchor
    BwVec3 normal; // out of the solid, of vertices on one
    uint8_t hold;
} BwVertex;

typedef struct BwNodeBlock {
    const BwLevel *level;
    BwTileCoord tile;
    int side; // nodes along an axis, with the first of the next tile
    BwNodeAxis axes[3];
    float *phi;   // cells
    float *solid; // cells, how deep a node is inside a solid, below 0 outside
    bool has_solids;
    float *scratch;
    uint64_t inside[BW_NODES_MAX][BW_NODES_MAX]; // by k and j, bit i
} BwNodeBlock;

// Floats that the arrays of a block take.
int64_t bw_node_block_floats(int refine);
void bw_node_block_create(BwNodeBlock *block, const BwLevel *level, float *memory);

// The two stages of a block that is not finished: the level set on the nodes of a tile, and how deep nodes
// near the liquid that `phi` tells of are inside solids.
void bw_node_block_interpolate(BwNodeBlock *block, BwTileCoord tile);
void bw_node_block_find_solids(BwNodeBlock *block);

// Whether a solid has no inside.
bool bw_solid_is_hollow(const BwFrameSolid *solid);

// The direction in which the distance to a shape rises fastest; `step` is that of differences.
BwVec3 bw_solid_slope(const BwShape *shape, BwVec3 at, float step);

// Whether solids are near a tile.
bool bw_tile_has_solids(const BwLevel *level, BwTileCoord tile);

// Whether a place, in cells from the origin, is inside a solid.
bool bw_node_block_is_in_solid(const BwNodeBlock *block, const double place[3]);

// Whether a tile may hold some of the surface. If not, it needs no block.
bool bw_tile_may_cross(const BwLevel *level, BwTileCoord tile);
void bw_node_block_set(BwNodeBlock *block, BwTileCoord tile);

static inline int bw_node(const BwNodeBlock *block, int i, int j, int k)
{
    return (k * block->side + j) * block->side + i;
}

static inline bool bw_node_is_inside(const BwNodeBlock *block, const int at[3])
{
    return block->inside[at[2]][at[1]] >> at[0] & 1;
}

// How far out of the liquid a node is, cells; below 0 inside. Not of nodes behind walls.
static inline float bw_node_level(const BwNodeBlock *block, int n)
{
    return block->has_solids && block->solid[n] > block->phi[n] ? block->solid[n] : block->phi[n];
}

// Where the edge from a node along an axis crosses the surface; it does.
BwVertex bw_node_crossing(const BwNodeBlock *block, const int at[3], int axis);
