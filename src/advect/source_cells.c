// Places that are fed by held cells.
#include "advect/held.h"

static void cell_of(const BwGrid *grid, BwBlockShape shape, int32_t corner, int cell[3])
{
    cell[0] = corner % shape.row - shape.margin;
    cell[1] = corner / shape.row % shape.row - shape.margin;
    cell[2] = grid->dimension == 3 ? corner / shape.layer - shape.margin : 0;
}

static bool reads_held(const BwGrid *grid, const BwMask *held, BwBlockShape shape, int32_t corner,
                       int32_t slot)
{
    int low[3];
    cell_of(grid, shape, corner, low);
    for (int n = 0; n < 1 << grid->dimension; n++)
        if (bw_is_held(grid, held, slot,
                       (const int[3]){low[0] + (n & 1), low[1] + (n >> 1 & 1), low[2] + (n >> 2)}))
            return true;
    return false;
}

void bw_find_fed(bool is_fed[BW_TILE_CELLS_MAX], const BwGrid *grid, const BwMask *held,
                 const BwPlaces *places, int32_t slot)
{
    for (int n = 0; n < grid->tile_cells; n++)
        is_fed[n] = reads_held(grid, held, bw_block_shape(places->reach), places->corner[n], slot);
}
