// The box of samples, and tiles around which all of it exists.
#include "advect/sample_box.h"

#include "grid/bits.h"

#include <string.h>

static void add_span(BwCellBox *box, int axis, int32_t low, int32_t high)
{
    box->low[axis] = low < box->low[axis] ? low : box->low[axis];
    box->high[axis] = high > box->high[axis] ? high : box->high[axis];
}

// Grows a box by the samples of a tile that exist.
static void add_tile(BwCellBox *box, const BwGrid *grid, const BwMask *valid, int32_t slot)
{
    int32_t first[3];
    bw_tile_first_cell(grid, grid->tiles[slot].coord, first);
    uint64_t all = 0;
    for (int k = 0; k < grid->layers; k++) {
        uint64_t word = bw_mask_tile(valid, slot)[k] & grid->tiles[slot].live[k];
        all |= word;
        if (word != 0)
            add_span(box, 2, first[2] + k, first[2] + k + 1);
    }
    for (int n = 0; n < BW_TILE && all != 0; n++) {
        if (all >> BW_TILE * n & BW_ROW)
            add_span(box, 1, first[1] + n, first[1] + n + 1);
        if (all >> n & BW_COLUMN)
            add_span(box, 0, first[0] + n, first[0] + n + 1);
    }
}

static bool holds_tile(const BwCellBox *box, const BwGrid *grid, BwTileCoord coord)
{
    int32_t first[3];
    bw_tile_first_cell(grid, coord, first);
    for (int a = 0; a < grid->dimension; a++)
        if (first[a] < box->low[a] || first[a] + BW_TILE > box->high[a])
            return false;
    return true;
}

// Whether a tile has nothing to do with the box.
static bool misses_tile(const BwCellBox *box, const BwGrid *grid, BwTileCoord coord)
{
    int32_t first[3];
    bw_tile_first_cell(grid, coord, first);
    for (int a = 0; a < grid->dimension; a++)
        if (first[a] >= box->high[a] || first[a] + BW_TILE <= box->low[a])
            return true;
    return false;
}

// Along axes without end samples may be anywhere; so they may where those of missing tiles exist.
static BwCellBox box_of(const BwGrid *grid, const BwMask *valid)
{
    BwCellBox box = {{INT32_MAX, INT32_MAX, INT32_MAX}, {INT32_MIN, INT32_MIN, INT32_MIN}};
    for (int32_t n = 0; n < grid->tile_count; n++)
        if (!holds_tile(&box, grid, grid->tiles[grid->order[n]].coord))
            add_tile(&box, grid, valid, grid->order[n]);
    for (int a = 0; a < 3; a++) {
        bool is_endless = a >= grid->dimension || !grid->has_bounds || grid->period[a] > 0;
        if (is_endless || box.low[a] >= box.high[a]) {
            box.low[a] = grid->bounds.low[a];
            box.high[a] = grid->bounds.high[a];
        }
    }
    return box;
}

static BwSampleBox samples_in(BwCellBox box, const BwGrid *grid, const BwMask *valid, BwLocation location)
{
    BwSampleBox samples = {.valid = valid, .location = location, .box = box};
    for (int a = 0; a < 3; a++)
        samples.far_face[a] =
            grid->far_wall[a] && bw_location_normal(location) == a && box.high[a] == grid->bounds.high[a];
    return samples;
}

BwSampleBox bw_sample_box_find(const BwGrid *grid, const BwMask *valid, BwLocation location,
                               BwStencil stencil)
{
    bool is_tight = stencil == BW_STENCIL_LINEAR && bw_mask_tile(valid, 0)[0] != ~(uint64_t)0;
    return samples_in(is_tight ? box_of(grid, valid) : grid->bounds, grid, valid, location);
}

BwSampleBox bw_sample_box_in_bounds(const BwSampleBox *samples, const BwGrid *grid)
{
    return samples_in(grid->bounds, grid, samples->valid, samples->location);
}

bool bw_sample_box_fill_tile(const BwSampleBox *samples, const BwGrid *grid, int32_t slot)
{
    const uint64_t *words = bw_mask_tile(samples->valid, slot), *live = grid->tiles[slot].live;
    if (memcmp(words, live, (size_t)grid->layers * sizeof *words) == 0)
        return true;
    BwSampleExtent x = bw_sample_box_span(samples, grid, slot, 0),
                   y = bw_sample_box_span(samples, grid, slot, 1),
                   z = bw_sample_box_span(samples, grid, slot, 2);
    uint64_t columns = 0, rows = 0;
    for (int n = 0; n < BW_TILE; n++) {
        columns |= n >= x.low && n <= x.high ? BW_COLUMN << n : 0;
        rows |= n >= y.low && n <= y.high ? BW_ROW << BW_TILE * n : 0;
    }
    for (int k = 0; k < grid->layers; k++) {
        bool is_inside = grid->layers == 1 || (k >= z.low && k <= z.high);
        if (words[k] != (is_inside ? live[k] & columns & rows : 0))
            return false;
    }
    return true;
}

bool bw_sample_box_fill_beyond(const BwSampleBox *samples, const BwGrid *grid, BwTileCoord coord)
{
    return bw_mask_tile(samples->valid, 0)[0] == ~(uint64_t)0 || misses_tile(&samples->box, grid, coord);
}

bool bw_sample_box_is_full(const BwSampleBox *samples, const BwGrid *grid, int32_t slot)
{
    for (int n = bw_first_beside(grid); n < 27 - bw_first_beside(grid); n++) {
        int32_t other = grid->tiles[slot].neighbour[n];
        if (other != 0 ? !bw_sample_box_fill_tile(samples, grid, other)
                       : !bw_sample_box_fill_beyond(samples, grid, bw_tile_beside(grid, slot, n)))
            return false;
    }
    return true;
}

BwSampleExtent bw_sample_box_span(const BwSampleBox *samples, const BwGrid *grid, int32_t slot, int axis)
{
    int32_t first[3];
    bw_tile_first_cell(grid, grid->tiles[slot].coord, first);
    return (BwSampleExtent){(int64_t)samples->box.low[axis] - first[axis],
                            (int64_t)samples->box.high[axis] - first[axis] - !samples->far_face[axis]};
}
