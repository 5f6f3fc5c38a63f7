// The mesh tile by tile. A patch is what one tile has of the surface: a vertex for each edge of the lattice
// that starts at a node of the tile and crosses the surface, further ones in the middle of some polygons, and
// the triangles of the cubes that start at its nodes. A vertex is found by counting bits, so that patches
// find those of the tiles beside them without a table. Patches are in the order of tiles and know their size
// before they are made: the mesh is the same whatever number of threads makes it.
#pragma once

#include "mesh/cube_polygons.h"
#include "mesh/node_block.h"

typedef struct BwPatch {
    BwTileCoord tile;
    int32_t vertex_count, triangle_count; // vertices with those in the middle of polygons
    int32_t crossing_count;               // vertices on edges, which come first
    int64_t first_vertex, first_triangle;
    int64_t beside[8]; // the patches of the tiles after it along x (1), y (2), z (4) and their sums; -1: none
} BwPatch;

typedef struct BwPatches {
    BwAllocator allocator;
    const BwLattice *lattice;
    BwCubeTable table;
    BwPatch *list;
    uint64_t *rows;  // for each patch, axis, k and j: bit i is set where the edge crosses the surface
    uint32_t *ranks; // crossings of the patch before that row
    uint32_t
        *missing; // for each tile of the frame that has liquid, the ones around it that it lacks, by bits
    uint8_t *may_cross;   // for each of `reached`
    BwTileCoord *reached; // tiles that liquid may reach into: the frame's, and some beside them
    BwNodeBlock *blocks;  // one a worker
    float *floats;
    BwVec3 *places; // cells from the anchor, of the vertices
    uint8_t *holds;
    BwVec3 *solid_normals; // of vertices on solids, where the frame has some
    int32_t (*triangles)[3];
    int64_t count, vertex_count, triangle_count, reached_count;
    int64_t missing_capacity, cross_capacity, capacity, row_capacity, rank_capacity, reached_capacity,
        block_capacity, float_capacity, place_capacity, hold_capacity, normal_capacity, triangle_capacity;
} BwPatches;

// Meshes the level set.
BwResult bw_patches_make(BwPatches *patches, const BwLevel *level, BwPool *pool, BwError *err);
void bw_patches_free(BwPatches *patches);
