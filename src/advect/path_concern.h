// Which paths of a tile a solid may have to do with.
#pragma once

#include "advect/path_tile.h"
#include "advect/solid_paths.h"

// How long the paths of a tile's cells are, m.
typedef struct BwPathLengths {
    _Alignas(BW_ALIGN) float of[BW_TILE_CELLS_MAX];
    float longest;
} BwPathLengths;

// `with_faces`: each cell takes the longest path of its own and of its low faces.
void bw_path_lengths_find(BwPathLengths *lengths, const BwField paths[3], bool with_faces, int32_t slot);

// The most that any bit of the tile moves in the solid's frame, as its corners tell.
float bw_path_tile_moved(const BwPathTile *tile, const BwSolidPose *solid);

// Finds the cells whose paths start so near to a solid that it may have to do with them, and not for sure
// too deep in it: as ways->cell, ways->from.count of them. `known_deep` gets the bits of cells that are left
// out since what is kept of distances tells that they are deep in the solid: then true is given, and
// ways->from has bounds of the distances at the starts, but not the starts. Otherwise it has both; but for
// all that is asked for, which are all cells, without either.
bool bw_paths_starting_near(const BwPathTile *tile, BwPathSolids solids, int s, const BwPathLengths *lengths,
                            BwWays *ways, uint64_t known_deep[BW_TILE]);

// What solids have to do with the paths back of a tile.
typedef struct BwPathConcern {
    uint64_t near[4][BW_TILE]; // bits of cells that any may have to do with the path of, and with those of
                               // their low faces along each axis
    uint64_t set;              // the solids that have set one
    float thick;               // m, all of these are thick for shorter paths
} BwPathConcern;

// Leaves the starts and ends of the paths to cells in the tracer.
void bw_paths_concern(BwPathConcern *concern, const BwPathTile *tile, const BwField paths[3],
                      BwPathSolids solids, int32_t slot, BwTracer *tracer, BwWays *ways);

// How long paths may be that a solid is thick for, whichever of the tile's they are, of those lengths, with
// the samples around their ends; 0 where the plane of a 2-D grid may cut something thin.
float bw_paths_thick(const BwPathTile *tile, const BwSolidPose *solid, const BwPathLengths *lengths);
