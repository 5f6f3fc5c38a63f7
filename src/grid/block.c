// Gathering padded blocks.
#include "grid/block.h"

#include <string.h>

// A row of the block is 4 samples of the left tile, 8 of the middle and 4 of the right one.
static void gather_row(float *restrict row, const float *left, const float *middle, const float *right)
{
    memcpy(row, left + BW_TILE - BW_HALO, BW_HALO * sizeof *row);
    memcpy(row + BW_HALO, middle, BW_TILE * sizeof *row);
    memcpy(row + BW_HALO + BW_TILE, right, BW_HALO * sizeof *row);
}

// Which neighbour (-1, 0, 1) and which of its rows a block coordinate falls into.
static int neighbour_of(int block_coordinate)
{
    return ((block_coordinate + BW_TILE - BW_HALO) >> 3) - 1;
}

static int row_of(int block_coordinate)
{
    return (block_coordinate + BW_TILE - BW_HALO) & 7;
}

static void copy_plane(float *restrict block, int axis, int from, int to, int layers)
{
    if (axis == 2) {
        memcpy(block + to * BW_BLOCK_LAYER, block + from * BW_BLOCK_LAYER, BW_BLOCK_LAYER * sizeof *block);
        return;
    }
    for (int k = 0; k < layers; k++)
        for (int n = 0; n < BW_BLOCK; n++) {
            float *line = block + k * BW_BLOCK_LAYER;
            if (axis == 1)
                line[to * BW_BLOCK + n] = line[from * BW_BLOCK + n];
            else
                line[n * BW_BLOCK + to] = line[n * BW_BLOCK + from];
        }
}

// The samples inside the bounds along an axis, in block coordinates, both ends included.
static void inside_span(const BwGrid *grid, BwLocation location, int32_t slot, int axis, int *low, int *high)
{
    int32_t first[3];
    bw_tile_first_cell(grid, grid->tiles[slot].coord, first);
    bool has_far_face = grid->far_wall[axis] && bw_location_normal(location) == axis;
    int64_t from = (int64_t)grid->bounds.low[axis] - first[axis] + BW_HALO;
    int64_t to = (int64_t)grid->bounds.high[axis] - first[axis] + BW_HALO - (has_far_face ? 0 : 1);
    *low = from > 0 ? (int)from : 0;
    *high = to < BW_BLOCK - 1 ? (int)to : BW_BLOCK - 1;
}

static void repeat_beyond_bounds(const BwGrid *grid, BwLocation location, int32_t slot, float *restrict block)
{
    int layers = bw_block_layers(grid);
    for (int axis = 0; axis < grid->dimension; axis++) {
        int low, high;
        inside_span(grid, location, slot, axis, &low, &high);
        for (int n = 0; n < low; n++)
            copy_plane(block, axis, low, n, layers);
        for (int n = high + 1; n < BW_BLOCK; n++)
            copy_plane(block, axis, high, n, layers);
    }
}

void bw_block_gather(const BwField *field, int32_t slot, float *restrict block)
{
    const BwGrid *grid = field->store.grid;
    const int32_t *neighbour = grid->tiles[slot].neighbour;
    int layers = bw_block_layers(grid);
    for (int k = 0; k < layers; k++) {
        int dz = layers == 1 ? 0 : neighbour_of(k), tile_k = layers == 1 ? 0 : row_of(k);
        for (int dy = -1; dy <= 1; dy++) {
            const float *left =
                bw_field_tile(field, neighbour[bw_neighbour(-1, dy, dz)]) + tile_k * BW_TILE_LAYER;
            const float *middle =
                bw_field_tile(field, neighbour[bw_neighbour(0, dy, dz)]) + tile_k * BW_TILE_LAYER;
            const float *right =
                bw_field_tile(field, neighbour[bw_neighbour(1, dy, dz)]) + tile_k * BW_TILE_LAYER;
            int begin = dy < 0 ? 0 : dy == 0 ? BW_HALO : BW_HALO + BW_TILE;
            int end = dy < 0 ? BW_HALO : dy == 0 ? BW_HALO + BW_TILE : BW_BLOCK;
            for (int j = begin; j < end; j++) {
                int row = row_of(j) * BW_TILE;
                gather_row(block + k * BW_BLOCK_LAYER + j * BW_BLOCK, left + row, middle + row, right + row);
            }
        }
    }
    repeat_beyond_bounds(grid, field->location, slot, block);
}

// A straight line through the samples at `end` and inwards of it goes on to so many outwards.
static void extrapolate_row(float *end, int inwards, int count)
{
    float slope = end[0] - end[inwards];
    for (int n = 1; n <= count; n++)
        end[-n * inwards] = end[0] + (float)n * slope;
}

void bw_block_extrapolate(const BwField *field, int32_t slot, float *restrict block)
{
    static const int stride[3] = {1, BW_BLOCK, BW_BLOCK_LAYER};
    const BwGrid *grid = field->store.grid;
    int count = BW_BLOCK_LAYER * bw_block_layers(grid);
    for (int axis = 0; axis < grid->dimension; axis++) {
        int low, high, step = stride[axis];
        inside_span(grid, field->location, slot, axis, &low, &high);
        if (low >= high || (low == 0 && high == BW_BLOCK - 1))
            continue;
        for (int n = 0; n < count; n++)
            if (n / step % BW_BLOCK == 0) {
                extrapolate_row(block + n + low * step, step, low);
                extrapolate_row(block + n + high * step, -step, BW_BLOCK - 1 - high);
            }
    }
}

static const uint64_t *words_of(const BwGrid *grid, const BwMask *valid, int32_t slot)
{
    return valid != NULL ? bw_mask_tile(valid, slot) : grid->tiles[slot].live;
}

// A missing tile is no gap when all its cells lie outside the bounds.
static bool is_outside(const BwGrid *grid, BwTileCoord coord, int dx, int dy, int dz)
{
    int32_t first[3];
    bw_tile_first_cell(grid, (BwTileCoord){coord.x + dx, coord.y + dy, coord.z + dz}, first);
    for (int a = 0; a < grid->dimension; a++)
        if (first[a] >= grid->bounds.high[a] || first[a] + BW_TILE <= grid->bounds.low[a])
            return true;
    return false;
}

static bool is_all_valid(const BwGrid *grid, const BwMask *valid, int32_t slot)
{
    const BwGridTile *tile = &grid->tiles[slot];
    int dz_max = grid->layers == 1 ? 0 : 1;
    size_t size = (size_t)grid->layers * sizeof(uint64_t);
    for (int dz = -dz_max; dz <= dz_max; dz++)
        for (int dy = -1; dy <= 1; dy++)
            for (int dx = -1; dx <= 1; dx++) {
                int32_t other = tile->neighbour[bw_neighbour(dx, dy, dz)];
                const uint64_t *words = words_of(grid, valid, other);
                bool is_full = other == 0
                                   ? words[0] == ~(uint64_t)0 || is_outside(grid, tile->coord, dx, dy, dz)
                                   : memcmp(words, grid->tiles[other].live, size) == 0;
                if (!is_full)
                    return false;
            }
    return true;
}

// The far wall's faces are valid where the cell before them is.
static void mark_far_wall(const BwGrid *grid, BwLocation location, int32_t slot, float *restrict weight)
{
    int axis = bw_location_normal(location);
    if (axis < 0 || axis >= grid->dimension || !grid->far_wall[axis])
        return;
    int32_t first[3];
    bw_tile_first_cell(grid, grid->tiles[slot].coord, first);
    int64_t at = (int64_t)grid->bounds.high[axis] - first[axis] + BW_HALO;
    if (at > 0 && at < BW_BLOCK)
        copy_plane(weight, axis, (int)at - 1, (int)at, bw_block_layers(grid));
}

bool bw_block_gather_weight(const BwGrid *grid, const BwMask *valid, BwLocation location, int32_t slot,
                            float *restrict weight)
{
    if (is_all_valid(grid, valid, slot))
        return true;
    const int32_t *neighbour = grid->tiles[slot].neighbour;
    int layers = bw_block_layers(grid);
    for (int k = 0; k < layers; k++) {
        int dz = layers == 1 ? 0 : neighbour_of(k), tile_k = layers == 1 ? 0 : row_of(k);
        for (int j = 0; j < BW_BLOCK; j++) {
            int dy = neighbour_of(j), shift = row_of(j) * BW_TILE;
            uint64_t left =
                words_of(grid, valid, neighbour[bw_neighbour(-1, dy, dz)])[tile_k] >> shift & 0xff;
            uint64_t middle =
                words_of(grid, valid, neighbour[bw_neighbour(0, dy, dz)])[tile_k] >> shift & 0xff;
            uint64_t right =
                words_of(grid, valid, neighbour[bw_neighbour(1, dy, dz)])[tile_k] >> shift & 0xff;
            // 32 bits, so that the sixteen lanes of a row are one vector.
            uint32_t row = (uint32_t)(left >> BW_HALO | middle << BW_HALO | right << (BW_HALO + BW_TILE));
            float *restrict out = weight + k * BW_BLOCK_LAYER + j * BW_BLOCK;
            for (uint32_t i = 0; i < BW_BLOCK; i++)
                out[i] = (float)(int32_t)(row >> i & 1u);
        }
    }
    mark_far_wall(grid, location, slot, weight);
    repeat_beyond_bounds(grid, location, slot, weight);
    return false;
}
