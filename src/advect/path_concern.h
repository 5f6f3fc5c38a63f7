// Which paths of a tile a solid may have to do with.
#pragma once

#include "advect/path_tile.h"
#include "advect/solid_paths.h"

// The most that any bit of the tile moves in the solid's frame, as its corners tell.
float bw_path_tile_moved(const BwPathTile *tile, const BwSolidPose *solid);

// Sets the bits of cells whose paths, as long as `paths` has them, solids may have to do with; gives the
// solids that have set one.
uint64_t bw_paths_concern(const BwPathTile *tile, const BwField paths[3], BwPathSolids solids, int32_t slot,
                          BwWays *ways, uint64_t *bits);
