// Which paths of a tile a solid may have to do with.
#pragma once

#include "advect/path_tile.h"
#include "advect/solid_paths.h"

// How long the paths of a tile's cells are, m.
typedef struct BwPathLengths {
    float of[BW_TILE_CELLS_MAX], longest;
} BwPathLengths;

// `with_faces`: each cell takes the longest path of its own and of its low faces.
void bw_path_lengths_find(BwPathLengths *lengths, const BwField paths[3], bool with_faces, int32_t slot);

// The most that any bit of the tile moves in the solid's frame, as its corners tell.
float bw_path_tile_moved(const BwPathTile *tile, const BwSolidPose *solid);

// Finds the cells whose paths start so near to a solid that it may have to do with them, and not for sure
// too deep in it: as ways->cell, ways->from.count of them, with lower bounds of the distance there.
// `known_deep` gets the bits of cells that are left out since what is kept of distances tells that they are
// deep in the solid. Where all is asked for, all cells, without bounds.
void bw_paths_starting_near(const BwPathTile *tile, BwPathSolids solids, int s, const BwPathLengths *lengths,
                            BwWays *ways, uint64_t known_deep[BW_TILE]);

// Sets the bits of cells that some solid may have to do with, be it with the path back to the cell or to one
// of its low faces; gives the solids that have set one. Leaves the starts and ends of the paths to cells in
// the tracer.
uint64_t bw_paths_concern(const BwPathTile *tile, const BwField paths[3], BwPathSolids solids, int32_t slot,
                          BwTracer *tracer, BwWays *ways, uint64_t *bits);
