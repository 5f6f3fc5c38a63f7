// Places whose interpolation reads source cells.
#include "advect/source_cells.h"

static void cell_of(const BwGrid *grid, BwBlockShape shape, int32_t corner, int cell[3])
{
    cell[0] = corner % shape.row - shape.margin;
    cell[1] = corner / shape.row % shape.row - shape.margin;
    cell[2] = grid->dimension == 3 ? corner / shape.layer - shape.margin : 0;
}

static bool reads_source(const BwGrid *grid, const BwMask *sources, BwBlockShape shape, int32_t corner,
                         int32_t slot)
{
    int low[3];
    cell_of(grid, shape, corner, low);
    for (int n = 0; n < 1 << grid->dimension; n++)
        if (bw_is_in_source(grid, sources, slot,
                            (const int[3]){low[0] + (n & 1), low[1] + (n >> 1 & 1), low[2] + (n >> 2)}))
            return true;
    return false;
}

void bw_find_from_source(bool is_from_source[BW_TILE_CELLS_MAX], const BwGrid *grid, const BwMask *sources,
                         const BwBlockPoints *places, int32_t slot)
{
    for (int n = 0; n < grid->tile_cells; n++)
        is_from_source[n] =
            reads_source(grid, sources, bw_block_shape(places->reach), places->corner[n], slot);
}
