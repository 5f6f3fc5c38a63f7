// The box between a scene's walls, in whole cells.
#pragma once

#include "grid/grid.h"
#include <billow/scene.h>

// A grid for the scene. Walls grow outwards to whole cells; rounding is no reason to grow. Periods are whole
// tiles, or the scene was refused.
BwGridDef bw_scene_grid_def(const BwSceneDef *scene, BwAllocator allocator);

// All cells between the walls, with periods in full.
BwCellBox bw_scene_cells(const BwGridDef *grid);

// The box between the walls of a grid, m; endless where there are none.
BwBox bw_grid_box(const BwGrid *grid);
