// Regions of unknowns that nothing fixes. Each tile is flooded by bit operations into connected parts, nearly
// always one; parts are joined across tile faces by union and find; a joined set without a fixed cell is a
// region on which the system is singular, and its right side must sum to zero.
//
// Numbers depend on the order of tiles only, so that every number of workers finds the same regions.
#include "grid/connect.h"
#include "poisson/poisson_tiles.h"

#include <string.h>

// What joining and marking ask of every tile, for nearly all are one part.
static void note_faces(BwPoissonTile *tile, int layers)
{
    uint64_t x = 0, y = 0, fixed = 0;
    for (int k = 0; k < layers; k++) {
        x |= tile->open[0][k] & BW_COLUMN;
        y |= tile->open[1][k] & BW_ROW;
        fixed |= tile->fixed[k];
    }
    tile->joined = (uint8_t)((x != 0) | (y != 0) << 1 | (tile->open[2][0] != 0) << 2);
    tile->has_fixed = fixed != 0;
}

static void count_parts(int64_t begin, int64_t end, int worker, void *context)
{
    (void)worker;
    const BwPoissonTiles *tiles = context;
    for (int32_t t = (int32_t)begin + 1; t <= end; t++) {
        BwPoissonTile *tile = &tiles->tile[t];
        uint64_t left[BW_TILE], part[BW_TILE];
        memcpy(left, tile->unknown, sizeof left);
        note_faces(tile, tiles->layers);
        tile->first_part = 0; // the count, until number_parts makes it a number
        while (bw_part_take(tile->open, tiles->layers, left, part))
            tile->first_part++;
    }
}

static BwResult number_parts(BwPoissonTiles *tiles, BwError *err)
{
    int64_t label_count = 0;
    tiles->part_count = 0;
    for (int32_t t = 1; t <= tiles->count; t++) {
        BwPoissonTile *tile = &tiles->tile[t];
        int32_t count = tile->first_part;
        tile->first_part = tiles->part_count;
        tiles->part_count += count;
        tile->label = count > 1 ? (int32_t)label_count : -1;
        label_count += count > 1 ? tiles->cells : 0;
    }
    tiles->labels = bw_workspace_alloc(tiles->workspace, (size_t)label_count * sizeof *tiles->labels);
    tiles->region_of_part =
        bw_workspace_alloc(tiles->workspace, (size_t)tiles->part_count * sizeof *tiles->region_of_part);
    tiles->root_of_part =
        bw_workspace_alloc(tiles->workspace, (size_t)tiles->part_count * sizeof *tiles->root_of_part);
    tiles->cells_of_part =
        bw_workspace_alloc(tiles->workspace, (size_t)tiles->part_count * sizeof *tiles->cells_of_part);
    bool is_there = tiles->labels != NULL && tiles->region_of_part != NULL && tiles->root_of_part != NULL &&
                    tiles->cells_of_part != NULL;
    return is_there ? BW_OK : bw_fail_memory(err);
}

static int32_t count_cells(const uint64_t *bits, int layers)
{
    int32_t count = 0;
    for (int k = 0; k < layers; k++)
        count += __builtin_popcountll(bits[k]);
    return count;
}

static void label_cells(int64_t begin, int64_t end, int worker, void *context)
{
    (void)worker;
    const BwPoissonTiles *tiles = context;
    for (int32_t t = (int32_t)begin + 1; t <= end; t++) {
        const BwPoissonTile *tile = &tiles->tile[t];
        if (tile->label < 0) {
            tiles->cells_of_part[tile->first_part] = count_cells(tile->unknown, tiles->layers);
            continue;
        }
        uint16_t *labels = tiles->labels + tile->label;
        memset(labels, 0, (size_t)tiles->cells * sizeof *labels);
        uint64_t left[BW_TILE], part[BW_TILE];
        memcpy(left, tile->unknown, sizeof left);
        for (uint16_t number = 0; bw_part_take(tile->open, tiles->layers, left, part); number++) {
            tiles->cells_of_part[tile->first_part + number] = count_cells(part, tiles->layers);
            for (int k = 0; k < tiles->layers; k++)
                for (uint64_t bits = part[k]; bits != 0; bits &= bits - 1)
                    labels[64 * k + __builtin_ctzll(bits)] = number;
        }
    }
}

static int32_t part_of(const BwPoissonTiles *tiles, int32_t t, int cell)
{
    const BwPoissonTile *tile = &tiles->tile[t];
    return tile->first_part + (tile->label < 0 ? 0 : tiles->labels[tile->label + cell]);
}

// Joins across the low faces of layer k given as bits; the cell across is `offset` further in tile n.
static void join_across(const BwPoissonTiles *tiles, int32_t *parent, int32_t t, int32_t n, uint64_t faces,
                        int k, int offset)
{
    for (uint64_t bits = faces; bits != 0; bits &= bits - 1) {
        int cell = 64 * k + __builtin_ctzll(bits);
        bw_roots_join(parent, part_of(tiles, t, cell), part_of(tiles, n, cell + offset));
    }
}

// Joins the parts of a tile to those of the tile before it along an axis, cell by cell.
static void join_parts(const BwPoissonTiles *tiles, int32_t *parent, int32_t t, int axis)
{
    const BwPoissonTile *tile = &tiles->tile[t];
    int last = tiles->layers - 1;
    if (axis == 2)
        join_across(tiles, parent, t, tile->beside[BW_Z_LOW], tile->open[2][0], 0, 64 * last);
    for (int k = 0; k <= last && axis < 2; k++)
        join_across(tiles, parent, t, tile->beside[2 * axis],
                    tile->open[axis][k] & (axis == 0 ? BW_COLUMN : BW_ROW), k, axis == 0 ? 7 : 56);
}

static void join_tiles(const BwPoissonTiles *tiles, int32_t *parent)
{
    for (int32_t t = 1; t <= tiles->count; t++) {
        const BwPoissonTile *tile = &tiles->tile[t];
        for (int axis = 0; axis < 3; axis++) {
            const BwPoissonTile *before = &tiles->tile[tile->beside[2 * axis]];
            if (!(tile->joined >> axis & 1))
                continue;
            if (tile->label < 0 && before->label < 0)
                bw_roots_join(parent, tile->first_part, before->first_part);
            else
                join_parts(tiles, parent, t, axis);
        }
    }
}

static void mark_fixed(const BwPoissonTiles *tiles, int32_t *parent, bool *is_fixed)
{
    for (int32_t t = 1; t <= tiles->count; t++) {
        const BwPoissonTile *tile = &tiles->tile[t];
        if (!tile->has_fixed)
            continue;
        if (tile->label < 0) {
            is_fixed[bw_root_of(parent, tile->first_part)] = true;
            continue;
        }
        for (int k = 0; k < tiles->layers; k++)
            for (uint64_t bits = tile->fixed[k]; bits != 0; bits &= bits - 1)
                is_fixed[bw_root_of(parent, part_of(tiles, t, 64 * k + __builtin_ctzll(bits)))] = true;
    }
}

// Roots come before the parts joined to them, so one pass numbers all.
static void number_regions(BwPoissonTiles *tiles, int32_t *parent, const bool *is_fixed)
{
    for (int32_t part = 0; part < tiles->part_count; part++) {
        int32_t root = parent[part] = bw_root_of(parent, part);
        if (root != part)
            tiles->region_of_part[part] = tiles->region_of_part[root];
        else
            tiles->region_of_part[part] = is_fixed[root] ? -1 : tiles->region_count++;
    }
}

typedef struct PartSums {
    const BwPoissonTiles *tiles;
    bool is_of_x;
    double *sum, *count; // by part
} PartSums;

// The sum over a tile that is one part. Cells without unknown hold no part of x, but may of the right side.
static double sum_of_tile(const PartSums *job, const BwPoissonTile *tile)
{
    const double *x = bw_wide_field_tile(job->tiles->system->x, tile->slot);
    double values[BW_TILE_CELLS_MAX], lanes[BW_TILE] = {0.0}, sum = 0.0;
    if (!job->is_of_x)
        bw_poisson_right_plain(job->tiles, tile, values);
    for (int n = 0; n < job->tiles->cells; n += BW_TILE)
        for (int lane = 0; lane < BW_TILE; lane++)
            lanes[lane] += job->is_of_x ? x[n + lane] : values[n + lane];
    for (int lane = 0; lane < BW_TILE; lane++)
        sum += lanes[lane];
    return sum;
}

static void sum_parts_of_cells(const PartSums *job, int32_t t)
{
    const BwPoissonTiles *tiles = job->tiles;
    const BwPoissonTile *tile = &tiles->tile[t];
    const float *right = bw_field_tile(tiles->system->right, tile->slot);
    const double *x = bw_wide_field_tile(tiles->system->x, tile->slot);
    for (int n = 0; n < tiles->cells; n++) {
        if (!bw_bit(tile->unknown, n))
            continue;
        int32_t part = part_of(tiles, t, n);
        job->sum[part] += job->is_of_x ? x[n] : (double)right[n];
        job->count[part] += 1.0;
    }
}

static void sum_parts(int64_t begin, int64_t end, int worker, void *context)
{
    (void)worker;
    const PartSums *job = context;
    for (int32_t t = (int32_t)begin + 1; t <= end; t++) {
        const BwPoissonTile *tile = &job->tiles->tile[t];
        if (tile->label >= 0) {
            sum_parts_of_cells(job, t);
            continue;
        }
        if (job->tiles->region_of_part[tile->first_part] < 0)
            continue;
        job->sum[tile->first_part] = sum_of_tile(job, tile);
        for (int k = 0; k < job->tiles->layers; k++)
            job->count[tile->first_part] += (double)__builtin_popcountll(tile->unknown[k]);
    }
}

// Means over each region, of x or of the right side.
static BwResult region_means(const BwPoissonTiles *tiles, bool is_of_x, double *mean, BwError *err)
{
    size_t bytes = (size_t)tiles->part_count * sizeof(double);
    PartSums job = {tiles, is_of_x, bw_workspace_alloc_zeroed(tiles->workspace, bytes),
                    bw_workspace_alloc_zeroed(tiles->workspace, bytes)};
    if (job.sum == NULL || job.count == NULL)
        return bw_fail_memory(err);
    bw_parallel_for(tiles->pool, tiles->count, BW_POISSON_GRAIN, sum_parts, &job);
    memset(tiles->cells_of_region, 0, (size_t)tiles->region_count * sizeof(double));
    memset(mean, 0, (size_t)tiles->region_count * sizeof(double));
    for (int32_t part = 0; part < tiles->part_count; part++) {
        int32_t region = tiles->region_of_part[part];
        if (region < 0)
            continue;
        mean[region] += job.sum[part];
        tiles->cells_of_region[region] += job.count[part];
    }
    for (int32_t region = 0; region < tiles->region_count; region++)
        if (tiles->cells_of_region[region] > 0.0) // or it was solved by itself and is not in the tiles
            mean[region] /= tiles->cells_of_region[region];
    return BW_OK;
}

BwResult bw_poisson_find_regions(BwPoissonTiles *tiles, BwError *err)
{
    bw_parallel_for(tiles->pool, tiles->count, BW_POISSON_GRAIN, count_parts, tiles);
    BW_TRY(number_parts(tiles, err));
    bw_parallel_for(tiles->pool, tiles->count, BW_POISSON_GRAIN, label_cells, tiles);
    int32_t *parent = tiles->root_of_part;
    bool *is_fixed =
        bw_workspace_alloc_zeroed(tiles->workspace, (size_t)tiles->part_count * sizeof *is_fixed);
    if (is_fixed == NULL)
        return bw_fail_memory(err);
    for (int32_t part = 0; part < tiles->part_count; part++)
        parent[part] = part;
    join_tiles(tiles, parent);
    mark_fixed(tiles, parent, is_fixed);
    tiles->region_count = 0;
    number_regions(tiles, parent, is_fixed);
    size_t bytes = (size_t)tiles->region_count * sizeof(double);
    tiles->shift = bw_workspace_alloc(tiles->workspace, bytes);
    tiles->cells_of_region = bw_workspace_alloc(tiles->workspace, bytes);
    if (tiles->shift == NULL || tiles->cells_of_region == NULL)
        return bw_fail_memory(err);
    return tiles->region_count == 0 ? BW_OK : region_means(tiles, false, tiles->shift, err);
}

typedef struct Centering {
    const BwPoissonTiles *tiles;
    const double *mean;
} Centering;

static void subtract_means(int64_t begin, int64_t end, int worker, void *context)
{
    (void)worker;
    const Centering *job = context;
    for (int32_t t = (int32_t)begin + 1; t <= end; t++) {
        const BwPoissonTile *tile = &job->tiles->tile[t];
        double *x = bw_wide_field_tile(job->tiles->system->x, tile->slot);
        for (int k = 0; k < job->tiles->layers; k++) {
            int32_t region = bw_poisson_region(job->tiles, t, 64 * k);
            bool is_simple = tile->label < 0 && tile->unknown[k] == UINT64_MAX && region >= 0;
            for (int n = 64 * k; is_simple && n < 64 * k + 64; n++)
                x[n] -= job->mean[region];
            for (uint64_t bits = is_simple ? 0 : tile->unknown[k]; bits != 0; bits &= bits - 1) {
                int n = 64 * k + __builtin_ctzll(bits);
                region = bw_poisson_region(job->tiles, t, n);
                x[n] -= region >= 0 ? job->mean[region] : 0.0;
            }
        }
    }
}

BwResult bw_poisson_center_x(const BwPoissonTiles *tiles, BwError *err)
{
    if (tiles->region_count == 0)
        return BW_OK;
    double *mean = bw_workspace_alloc(tiles->workspace, (size_t)tiles->region_count * sizeof *mean);
    if (mean == NULL)
        return bw_fail_memory(err);
    BW_TRY(region_means(tiles, true, mean, err));
    Centering job = {tiles, mean};
    bw_parallel_for(tiles->pool, tiles->count, BW_POISSON_GRAIN, subtract_means, &job);
    return BW_OK;
}
