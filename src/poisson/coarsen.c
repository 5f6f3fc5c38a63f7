// Coarsening: aggregation of 2x2x2 cells (2x2 in 2-D), split by connectivity. Here the recipe, and its first
// stage: the coarse tiles, their neighbours, parents and children.
//
// A coarse coupling is half the sum of the fine couplings it stands for: piecewise-constant transfer makes
// corrections too small, and the half makes up for it. What couples a cell to fixed values is scaled by 0.9,
// which was found to save an iteration or two against 0.6; mass is summed as it is.
#include "poisson/coarsen.h"

#include "grid/tile_search.h"

#include <stdlib.h>
#include <string.h>

static int compare_coords(const void *a, const void *b)
{
    return bw_tile_coord_compare(*(const BwTileCoord *)a, *(const BwTileCoord *)b);
}

// The tile at a coordinate, or 0.
static int32_t find_tile(const BwLevel *level, BwTileCoord coord)
{
    return bw_find_tile(level->coord, level->count, coord);
}

static BwTileCoord coarse_coord(BwTileCoord fine)
{
    return (BwTileCoord){fine.x >> 1, fine.y >> 1, fine.z >> 1};
}

static int octant_of(BwTileCoord fine)
{
    return (fine.x & 1) | (fine.y & 1) << 1 | (fine.z & 1) << 2;
}

// The coordinate across a face; wraps where the level's tiles fit the period.
static BwTileCoord coord_beside(const BwLevel *level, BwTileCoord coord, int side)
{
    int32_t *axis = side / 2 == 0 ? &coord.x : side / 2 == 1 ? &coord.y : &coord.z;
    int32_t period = level->period[side / 2];
    *axis += side % 2 ? 1 : -1;
    if (period > 0 && period % BW_TILE == 0)
        *axis = (*axis + period / BW_TILE) % (period / BW_TILE);
    return coord;
}

static void link_tiles(int64_t begin, int64_t end, int worker, void *context)
{
    (void)worker;
    const BwCoarsening *job = context;
    BwLevel *coarse = job->coarse;
    for (int32_t t = (int32_t)begin + 1; t <= end; t++)
        for (int side = 0; side < BW_BESIDE_COUNT; side++)
            coarse->beside[t][side] = coarse->layers == 1 && side >= BW_Z_LOW
                                          ? 0
                                          : find_tile(coarse, coord_beside(coarse, coarse->coord[t], side));
}

static void find_parents(int64_t begin, int64_t end, int worker, void *context)
{
    (void)worker;
    const BwCoarsening *job = context;
    for (int32_t t = (int32_t)begin + 1; t <= end; t++)
        job->fine->parent[t] = find_tile(job->coarse, coarse_coord(job->fine->coord[t]));
}

// Whether another tile of the same coarse one lies beside a tile, before it; the one that has none speaks for
// all of them. In most grids that leaves each coarse tile once, and in order.
static bool has_sibling_before(const BwLevel *fine, int32_t t)
{
    BwTileCoord c = fine->coord[t];
    const int32_t *beside = fine->beside[t];
    return ((c.x & 1) && beside[BW_X_LOW] != 0) || ((c.y & 1) && beside[BW_Y_LOW] != 0) ||
           ((c.z & 1) && beside[BW_Z_LOW] != 0);
}

static bool is_in_order(const BwTileCoord *coords, int32_t count)
{
    for (int32_t n = 1; n < count; n++)
        if (bw_tile_coord_compare(coords[n - 1], coords[n]) > 0)
            return false;
    return true;
}

static BwResult build_topology(BwCoarsening *job, BwError *err)
{
    BwLevel *fine = job->fine, *coarse = job->coarse;
    BwTileCoord *coords = bw_level_alloc(job->pyramid, (size_t)fine->count, sizeof *coords);
    if (coords == NULL)
        return bw_fail_memory(err);
    int32_t count = 0;
    for (int32_t t = 1; t <= fine->count; t++) {
        BwTileCoord coord = coarse_coord(fine->coord[t]);
        if (!has_sibling_before(fine, t) && (count == 0 || !bw_tile_coord_equal(coords[count - 1], coord)))
            coords[count++] = coord;
    }
    if (!is_in_order(coords, count))
        qsort(coords, (size_t)count, sizeof *coords, compare_coords);
    coarse->count = 0;
    for (int32_t n = 0; n < count; n++)
        if (n == 0 || !bw_tile_coord_equal(coords[n - 1], coords[n]))
            coords[coarse->count++] = coords[n];
    BW_TRY(bw_level_reserve_tiles(job->pyramid, coarse, err));
    memcpy(coarse->coord + 1, coords, (size_t)coarse->count * sizeof *coords);
    bw_parallel_for(job->pyramid->pool, coarse->count, 64, link_tiles, job);
    bw_parallel_for(job->pyramid->pool, fine->count, 64, find_parents, job);
    memset(coarse->child, 0, ((size_t)coarse->count + 1) * sizeof *coarse->child);
    for (int32_t t = 1; t <= fine->count; t++)
        coarse->child[fine->parent[t]][octant_of(fine->coord[t])] = t;
    return BW_OK;
}

BwResult bw_level_coarsen(const BwPyramid *pyramid, BwLevel *fine, BwLevel *coarse, BwError *err)
{
    *coarse = (BwLevel){.layers = fine->layers, .cells = fine->cells, .half = fine->half, .rows = fine->rows};
    for (int axis = 0; axis < 3; axis++)
        coarse->period[axis] = (fine->period[axis] + 1) / 2;
    BwCoarsening job = {.pyramid = pyramid, .fine = fine, .coarse = coarse};
    BW_TRY(build_topology(&job, err));
    BW_TRY(bw_coarsen_split(&job, err));
    BW_TRY(bw_coarsen_explicit(&job, err));
    return bw_coarsen_tiles(&job, err);
}
