// From phi to coefficients, tile by tile.
#include "mesh/level.h"

#include "base/extremes.h"
#include "mesh/tiles_around.h"

#include <math.h>
#include <string.h>

enum { TILE_CELLS = BW_TILE * BW_TILE * BW_TILE };

// Cells: phi is trusted no farther from the surface.
static const float reach = 4.0f;

// Sums of second differences, cells, up to which all that the spline takes away from samples is made up for,
// and how much of the rest is: with more, sheets of one or two cells come out thicker than they are.
static const float gentle_bend = 0.25f, sharp_share = 0.25f;

static float clean(const BwLevel *level, float phi)
{
    float value = phi / level->frame->cell_size;
    return isfinite(value) ? bw_smaller(bw_larger(value, -reach), reach) : reach;
}

static void clean_tiles(int64_t begin, int64_t end, int worker, void *context)
{
    (void)worker;
    const BwLevel *level = context;
    for (int64_t tile = begin; tile < end; tile++) {
        const float *phi = level->phi->values + (size_t)tile * TILE_CELLS;
        float *values = level->values + (size_t)tile * TILE_CELLS, *range = level->ranges[tile];
        range[0] = INFINITY;
        range[1] = -INFINITY;
        for (int n = 0; n < TILE_CELLS; n++) {
            bool is_live = level->frame->live[tile][n >> 6] >> (n & 63) & 1;
            values[n] = clean(level, is_live ? phi[n] : level->phi->background);
            range[0] = bw_smaller(range[0], values[n]);
            range[1] = bw_larger(range[1], values[n]);
        }
    }
}

// One row of a gathered block from the tiles that it crosses.
static void gather_row(float *row, const float *const tiles[3], int within, float background)
{
    enum { BEFORE = BW_LEVEL_BEFORE, AFTER = BW_LEVEL_AFTER };
    float missing[BW_TILE];
    for (int n = 0; n < BW_TILE; n++)
        missing[n] = background;
    const float *before = tiles[0] != NULL ? tiles[0] + within + BW_TILE - BEFORE : missing,
                *here = tiles[1] != NULL ? tiles[1] + within : missing,
                *after = tiles[2] != NULL ? tiles[2] + within : missing;
    memcpy(row, before, BEFORE * sizeof *row);
    memcpy(row + BEFORE, here, BW_TILE * sizeof *row);
    memcpy(row + BEFORE + BW_TILE, after, AFTER * sizeof *row);
}

static void gather_tiles(const BwLevel *level, const float *values, BwTileCoord tile, float *cells)
{
    float background = clean(level, level->phi->background);
    const float *tiles[27];
    int32_t found[27];
    bw_tiles_around(level->frame, tile, found);
    for (int n = 0; n < 27; n++)
        tiles[n] = found[n] >= 0 ? values + (size_t)found[n] * TILE_CELLS : NULL;
    for (int k = 0; k < BW_LEVEL_SIDE; k++)
        for (int j = 0; j < BW_LEVEL_SIDE; j++) {
            int y = j - BW_LEVEL_BEFORE + BW_TILE, z = k - BW_LEVEL_BEFORE + BW_TILE;
            gather_row(cells + (k * BW_LEVEL_SIDE + j) * BW_LEVEL_SIDE, tiles + 3 * (y >> 3) + 9 * (z >> 3),
                       BW_TILE * (y & 7) + BW_TILE * BW_TILE * (z & 7), background);
        }
}

// Cells behind a wall that matter: those that nodes on the wall are interpolated from. What is farther is
// left alone, so that all tiles that see a cell agree on it.
enum { CELLS_BEHIND = 2 };

// The step from one cell to the next behind a wall, that of the two before it; none where it would lead
// through the surface.
static float step_behind(float last, float before)
{
    float step = last - before, farthest = last + (float)CELLS_BEHIND * step;
    return (farthest < 0.0f) == (last < 0.0f) ? step : 0.0f;
}

// Along one line of cells; `first` to `last` are those between the walls.
static void extend_line(float *line, int stride, int first, int last)
{
    int second = first + (last > first);
    float step = step_behind(line[first * stride], line[second * stride]);
    for (int n = 1; n <= CELLS_BEHIND && n <= first; n++)
        line[(first - n) * stride] = line[first * stride] + (float)n * step;
    second = last - (last > first);
    step = step_behind(line[last * stride], line[second * stride]);
    for (int n = 1; n <= CELLS_BEHIND && last + n < BW_LEVEL_SIDE; n++)
        line[(last + n) * stride] = line[last * stride] + (float)n * step;
}

static void extend_axis(float *cells, int axis, int first, int last)
{
    const int strides[3] = {1, BW_LEVEL_SIDE, BW_LEVEL_SIDE * BW_LEVEL_SIDE};
    int across = strides[(axis + 1) % 3], along = strides[(axis + 2) % 3];
    for (int k = 0; k < BW_LEVEL_SIDE; k++)
        for (int j = 0; j < BW_LEVEL_SIDE; j++)
            extend_line(cells + j * across + k * along, strides[axis], first, last);
}

// A tile that lies behind a wall all over may meet none of the cells before it; its own do not matter then.
static void extend_behind_walls(const BwLevel *level, BwTileCoord tile, float *cells)
{
    const BwLattice *lattice = level->lattice;
    const int32_t at[3] = {tile.x, tile.y, tile.z};
    for (int a = 0; a < 3 && lattice->has_walls; a++) {
        int64_t start = (int64_t)BW_TILE * at[a] - BW_LEVEL_BEFORE;
        int64_t first = lattice->low[a] - start, last = lattice->high[a] - 1 - start;
        first = first < 0 ? 0 : first;
        last = last >= BW_LEVEL_SIDE ? BW_LEVEL_SIDE - 1 : last;
        if (first <= last && (first > 0 || last < BW_LEVEL_SIDE - 1))
            extend_axis(cells, a, (int)first, (int)last);
    }
}

void bw_level_gather(const BwLevel *level, BwTileCoord tile, float cells[BW_LEVEL_CELLS])
{
    gather_tiles(level, level->coefficients, tile, cells);
    extend_behind_walls(level, tile, cells);
}

// What the spline takes away from samples, a sixth of their second differences along each axis, is added
// before: it then meets the samples but for differences of fourth order, and thin sheets stay.
static void spline_tiles(int64_t begin, int64_t end, int worker, void *context)
{
    (void)worker;
    enum { Y = BW_LEVEL_SIDE, Z = BW_LEVEL_SIDE * BW_LEVEL_SIDE, START = BW_LEVEL_BEFORE * (1 + Y + Z) };
    const BwLevel *level = context;
    for (int64_t tile = begin; tile < end; tile++) {
        float cells[BW_LEVEL_CELLS], *spline = level->spline + (size_t)tile * TILE_CELLS;
        float *range = level->ranges[tile];
        gather_tiles(level, level->values, level->frame->tiles[tile], cells);
        extend_behind_walls(level, level->frame->tiles[tile], cells);
        range[0] = INFINITY;
        range[1] = -INFINITY;
        for (int n = 0; n < TILE_CELLS; n++) {
            const float *at = cells + START + (n & 7) + Y * (n >> 3 & 7) + Z * (n >> 6);
            float bend = at[-1] + at[1] + at[-Y] + at[Y] + at[-Z] + at[Z] - 6.0f * at[0];
            float gentle = bw_smaller(bw_larger(bend, -gentle_bend), gentle_bend);
            spline[n] = at[0] - (gentle + sharp_share * (bend - gentle)) / 6.0f;
            range[0] = bw_smaller(range[0], spline[n]);
            range[1] = bw_larger(range[1], spline[n]);
        }
    }
}

BwResult bw_level_set(BwLevel *level, const BwFrame *frame, const BwLattice *lattice, BwPool *pool,
                      BwError *err)
{
    const BwAllocator *allocator = &level->allocator;
    int64_t tiles = frame->tile_count;
    level->frame = frame;
    level->phi = bw_frame_field(frame, "phi");
    level->lattice = lattice;
    BW_TRY(bw_reserve(allocator, (void **)&level->values, &level->value_capacity, tiles * TILE_CELLS,
                      sizeof *level->values, err));
    BW_TRY(bw_reserve(allocator, (void **)&level->ranges, &level->range_capacity, tiles,
                      sizeof *level->ranges, err));
    level->coefficients = level->values;
    bw_parallel_for(pool, tiles, 16, clean_tiles, level);
    if (lattice->refine == 1)
        return BW_OK;
    BW_TRY(bw_reserve(allocator, (void **)&level->spline, &level->spline_capacity, tiles * TILE_CELLS,
                      sizeof *level->spline, err));
    level->coefficients = level->spline;
    bw_parallel_for(pool, tiles, 16, spline_tiles, level);
    return BW_OK;
}

void bw_level_free(BwLevel *level)
{
    const BwAllocator *allocator = &level->allocator;
    bw_free(allocator, level->values, (size_t)level->value_capacity * sizeof *level->values, BW_ALIGN);
    bw_free(allocator, level->spline, (size_t)level->spline_capacity * sizeof *level->spline, BW_ALIGN);
    bw_free(allocator, level->ranges, (size_t)level->range_capacity * sizeof *level->ranges, BW_ALIGN);
    *level = (BwLevel){.allocator = level->allocator};
}

void bw_level_range(const BwLevel *level, BwTileCoord tile, float range[2])
{
    float background = clean(level, level->phi->background);
    range[0] = INFINITY;
    range[1] = -INFINITY;
    int32_t found[27];
    bw_tiles_around(level->frame, tile, found);
    for (int n = 0; n < 27; n++) {
        range[0] = bw_smaller(range[0], found[n] >= 0 ? level->ranges[found[n]][0] : background);
        range[1] = bw_larger(range[1], found[n] >= 0 ? level->ranges[found[n]][1] : background);
    }
}

// Of the cells of rows, along them.
static void spread_along(float row[BW_LEVEL_SIDE])
{
    float line[BW_LEVEL_SIDE];
    memcpy(line, row, sizeof line);
    for (int i = 2; i + 2 < BW_LEVEL_SIDE; i++) {
        float near = bw_larger(line[i - 1], line[i + 1]), far = bw_larger(line[i - 2], line[i + 2]);
        row[i] = bw_larger(line[i], bw_larger(near, far));
    }
}

// Of rows that are `stride` apart, across them.
static void spread_across(float *rows, int stride)
{
    enum { SIDE = BW_LEVEL_SIDE };
    float lines[SIDE][SIDE];
    for (int j = 0; j < SIDE; j++)
        memcpy(lines[j], rows + j * stride, sizeof lines[j]);
    for (int j = 2; j + 2 < SIDE; j++)
        for (int i = 0; i < SIDE; i++) {
            float near = bw_larger(lines[j - 1][i], lines[j + 1][i]),
                  far = bw_larger(lines[j - 2][i], lines[j + 2][i]);
            rows[j * stride + i] = bw_larger(lines[j][i], bw_larger(near, far));
        }
}

void bw_level_spread(float cells[BW_LEVEL_CELLS])
{
    enum { SIDE = BW_LEVEL_SIDE, LAYER = BW_LEVEL_SIDE * BW_LEVEL_SIDE };
    for (int row = 0; row < LAYER; row++)
        spread_along(cells + row * SIDE);
    for (int k = 0; k < SIDE; k++)
        spread_across(cells + k * LAYER, SIDE);
    for (int j = 0; j < SIDE; j++)
        spread_across(cells + j * SIDE, LAYER);
}
