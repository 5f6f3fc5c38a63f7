// Places whose interpolation reads source cells: bits of the cells around the tile, one word a row of the
// block (advect/interpolation.h), spread to the low corners of the squares that hold a source cell.
#include "advect/source_cells.h"

enum { ROWS_MAX = (BW_TILE + 2 * BW_REACH_MAX) * (BW_TILE + 2 * BW_REACH_MAX) };

// Row j of layer k of a block: bit i, whether its cell is a source's.
static uint32_t row_of_block(const BwGrid *grid, const BwMask *sources, BwBlockShape shape, int32_t slot,
                             int j, int k)
{
    int y = j - shape.margin, z = grid->layers == 1 ? 0 : k - shape.margin;
    int dy = ((y + BW_TILE) >> 3) - 1, dz = ((z + BW_TILE) >> 3) - 1;
    uint32_t row = 0;
    for (int dx = -1; dx <= 1; dx++) {
        const uint64_t *words = bw_mask_tile(sources, grid->tiles[slot].neighbour[bw_neighbour(dx, dy, dz)]);
        row |= (uint32_t)(words[z & 7] >> (BW_TILE * (y & 7)) & 0xff) << (BW_TILE * (dx + 1));
    }
    return row >> (BW_TILE - shape.margin);
}

// Bit i of row j + shape.row k: whether a place with that corner reads a source cell.
static void find_corners(uint32_t *rows, const BwGrid *grid, const BwMask *sources, BwBlockShape shape,
                         int32_t slot)
{
    int layers = grid->layers == 1 ? 1 : shape.row;
    for (int k = 0; k < layers; k++) {
        for (int j = 0; j < shape.row; j++) {
            uint32_t row = row_of_block(grid, sources, shape, slot, j, k);
            rows[shape.row * k + j] = row | row >> 1;
        }
        for (int j = 0; j < shape.row - 1; j++)
            rows[shape.row * k + j] |= rows[shape.row * k + j + 1];
    }
    for (int n = 0; n < shape.row * (layers - 1); n++)
        rows[n] |= rows[n + shape.row];
}

// The length of rows is a constant where it is called, and division by it cheap.
static inline void look_up(bool *restrict is_from_source, const uint32_t *rows,
                           const int32_t *restrict corner, int row, int count)
{
    for (int n = 0; n < count; n++)
        is_from_source[n] = rows[corner[n] / row] >> (corner[n] % row) & 1;
}

void bw_find_from_source(bool is_from_source[BW_TILE_CELLS_MAX], const BwGrid *grid, const BwMask *sources,
                         const BwBlockPoints *places, int32_t slot)
{
    uint32_t rows[ROWS_MAX];
    BwBlockShape shape = bw_block_shape(places->reach);
    find_corners(rows, grid, sources, shape, slot);
    if (shape.margin == BW_REACH_NARROW)
        look_up(is_from_source, rows, places->corner, BW_TILE + 2 * BW_REACH_NARROW, grid->tile_cells);
    else
        look_up(is_from_source, rows, places->corner, BW_TILE + 2 * BW_REACH_MAX, grid->tile_cells);
}
