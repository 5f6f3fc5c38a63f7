// Walls in metres become bounds in cells.
#include "flow/scene_box.h"

#include "scene/box_cells.h"

#include <math.h>

BwGridDef bw_scene_grid_def(const BwSceneDef *scene, BwAllocator allocator)
{
    const BwWallsDef *walls = &scene->walls;
    BwGridDef grid = {.allocator = allocator, .cell_size = scene->cell, .dimension = scene->dimension};
    grid.has_bounds = scene->has_walls;
    const float low[3] = {walls->min.x, walls->min.y, walls->min.z};
    const float high[3] = {walls->max.x, walls->max.y, walls->max.z};
    for (int a = 0; a < scene->dimension && scene->has_walls; a++) {
        grid.bounds.low[a] = bw_cell_floor(low[a], scene->cell);
        grid.bounds.high[a] = bw_cell_ceil(high[a], scene->cell);
        grid.is_open[a] = walls->side[2 * a + 1].kind == BW_WALL_OPEN;
        if (!walls->periodic[a] || scene->fluid == BW_FLUID_STABLE) // that box joins its ends itself
            continue;
        grid.period_low[a] = grid.bounds.low[a] / BW_TILE; // whole tiles: bw_check_periods
        grid.period[a] = (grid.bounds.high[a] - grid.bounds.low[a]) / BW_TILE;
    }
    return grid;
}

BwCellBox bw_scene_cells(const BwGridDef *grid)
{
    BwCellBox box = grid->bounds;
    for (int a = 0; a < grid->dimension; a++)
        if (grid->period[a] > 0) {
            box.low[a] = grid->period_low[a] * BW_TILE;
            box.high[a] = box.low[a] + grid->period[a] * BW_TILE;
        }
    if (grid->dimension == 2)
        box.high[2] = box.low[2] + 1;
    return box;
}

BwBox bw_grid_box(const BwGrid *grid)
{
    float h = grid->cell_size;
    if (!grid->has_bounds)
        return (BwBox){{-INFINITY, -INFINITY, -INFINITY}, {INFINITY, INFINITY, INFINITY}};
    const int32_t *low = grid->bounds.low, *high = grid->bounds.high;
    return (BwBox){bw_vec3((float)low[0] * h, (float)low[1] * h, (float)low[2] * h),
                   bw_vec3((float)high[0] * h, (float)high[1] * h, (float)high[2] * h)};
}
