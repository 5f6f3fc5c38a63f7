// Speed of the grid: a 7-point stencil over live tiles against the same over a dense array, and the cost of
// waking, sleeping and walking tiles. Prints a table; ratios are what counts.
#include "base/memory.h"
#include "base/pool.h"
#include "bench.h"
#include "cases.h"
#include "grid/rows.h"

#include <stdio.h>
#include <stdlib.h>

typedef struct Stencil {
    BwPool *pool;
    int side; // cells
    BwGrid *grid;
    BwField in, out;
    float *dense_in, *dense_out; // with a border of one, rows padded to whole vectors
    size_t row, layer;
} Stencil;

// Laplacian: sum of the six neighbours less six times the centre.
static void tile_stencil(const BwStar *star, float *restrict out)
{
    for (int at = 0; at < 512; at += BW_LANES) {
        BwLanes center = bw_lanes_load(star->center + at);
        BwLanes sum = bw_lanes_x_low(star, center, at) + bw_lanes_x_high(star, center, at) +
                      bw_lanes_y_low(star, center, at) + bw_lanes_y_high(star, center, at) +
                      bw_lanes_z_low(star, at) + bw_lanes_z_high(star, at);
        bw_lanes_store(out + at, sum - 6.0f * center);
    }
}

static void tiles_range(int64_t begin, int64_t end, int worker, void *context)
{
    (void)worker;
    Stencil *stencil = context;
    for (int64_t n = begin; n < end; n++) {
        int32_t slot = stencil->grid->order[n];
        BwStar star = bw_star(&stencil->in, slot);
        tile_stencil(&star, bw_field_tile(&stencil->out, slot));
    }
}

static void dense_range(int64_t begin, int64_t end, int worker, void *context)
{
    (void)worker;
    Stencil *stencil = context;
    size_t row = stencil->row, layer = stencil->layer;
    for (int64_t k = begin; k < end; k++)
        for (int j = 0; j < stencil->side; j++) {
            size_t start = (size_t)(k + 1) * layer + (size_t)(j + 1) * row + 16;
            const float *restrict in = stencil->dense_in + start;
            float *restrict out = stencil->dense_out + start;
            for (int i = 0; i < stencil->side; i++)
                out[i] = in[i - 1] + in[i + 1] + in[i - (int)row] + in[i + (int)row] + in[i - (int)layer] +
                         in[i + (int)layer] - 6.0f * in[i];
        }
}

static void run_tiles(void *context)
{
    Stencil *stencil = context;
    bw_parallel_for(stencil->pool, stencil->grid->tile_count, 64, tiles_range, stencil);
}

static void run_dense(void *context)
{
    Stencil *stencil = context;
    bw_parallel_for(stencil->pool, stencil->side, 2, dense_range, stencil);
}

static float start_value(int i, int j, int k)
{
    return (float)((i * 7 + j * 13 + k * 29) % 64);
}

static BwTileCoord *box_of_tiles(int tiles, int64_t *count)
{
    *count = (int64_t)tiles * tiles * tiles;
    BwTileCoord *coords = malloc((size_t)*count * sizeof *coords);
    for (int64_t n = 0; n < *count; n++)
        coords[n] =
            (BwTileCoord){(int32_t)(n % tiles), (int32_t)(n / tiles % tiles), (int32_t)(n / tiles / tiles)};
    return coords;
}

static void fill_both(Stencil *stencil)
{
    int side = stencil->side;
    for (int k = 0; k < side; k++)
        for (int j = 0; j < side; j++)
            for (int i = 0; i < side; i++)
                stencil->dense_in[(size_t)(k + 1) * stencil->layer + (size_t)(j + 1) * stencil->row + 16 +
                                  (size_t)i] = start_value(i, j, k);
    for (int32_t n = 0; n < stencil->grid->tile_count; n++) {
        int32_t slot = stencil->grid->order[n], first[3];
        bw_tile_first_cell(stencil->grid, stencil->grid->tiles[slot].coord, first);
        float *values = bw_field_tile(&stencil->in, slot);
        for (int m = 0; m < 512; m++)
            values[m] = start_value(first[0] + m % 8, first[1] + m / 8 % 8, first[2] + m / 64);
    }
}

static int64_t count_differences(const Stencil *stencil)
{
    int64_t differences = 0;
    for (int32_t n = 0; n < stencil->grid->tile_count; n++) {
        int32_t slot = stencil->grid->order[n], first[3];
        bw_tile_first_cell(stencil->grid, stencil->grid->tiles[slot].coord, first);
        const float *values = bw_field_tile(&stencil->out, slot);
        for (int m = 0; m < 512; m++) {
            size_t at = (size_t)(first[2] + m / 64 + 1) * stencil->layer +
                        (size_t)(first[1] + m / 8 % 8 + 1) * stencil->row + 16 + (size_t)(first[0] + m % 8);
            differences += values[m] != stencil->dense_out[at];
        }
    }
    return differences;
}

static bool compare_stencils(int side, int workers)
{
    Stencil stencil = {.side = side, .row = (size_t)side + 32};
    stencil.layer = stencil.row * (size_t)(side + 2);
    BwAllocator allocator = bw_allocator_or_default((BwAllocator){0});
    size_t bytes = stencil.layer * (size_t)(side + 2) * sizeof(float);
    stencil.dense_in = bw_alloc_zeroed(&allocator, bytes, (size_t)2 << 20);
    stencil.dense_out = bw_alloc_zeroed(&allocator, bytes, (size_t)2 << 20);
    int64_t count;
    BwTileCoord *coords = box_of_tiles(side / BW_TILE, &count);
    BwGridDef grid_def = {.cell_size = 1.0f, .dimension = 3};
    BwPoolDef pool_def = {.worker_count = workers};
    BwError err;
    if (bw_grid_create(&stencil.grid, &grid_def, &err) != BW_OK ||
        bw_pool_create(&stencil.pool, &pool_def, &err) != BW_OK ||
        bw_field_create(&stencil.in, stencil.grid, BW_AT_CELL, 0.0f, &err) != BW_OK ||
        bw_field_create(&stencil.out, stencil.grid, BW_AT_CELL, 0.0f, &err) != BW_OK ||
        bw_grid_wake(stencil.grid, coords, count, &err) != BW_OK || stencil.dense_in == NULL ||
        stencil.dense_out == NULL) {
        fprintf(stderr, "bench grid: %s\n", err.message);
        return false;
    }
    fill_both(&stencil);
    BenchPair best = bench_pair(run_tiles, run_dense, &stencil, side > 128 ? 30 : 100);
    double cells = (double)side * side * side;
    printf(
        "stencil  %3d^3  %d thread%s  tiles %.3f ns/cell  dense %.3f ns/cell  ratio %.2f  differences %lld\n",
        side, workers, workers > 1 ? "s" : " ", 1e9 * best.ours / cells, 1e9 * best.theirs / cells,
        best.ours / best.theirs, (long long)count_differences(&stencil));
    bw_field_destroy(&stencil.in);
    bw_field_destroy(&stencil.out);
    bw_grid_destroy(stencil.grid);
    bw_pool_destroy(stencil.pool);
    bw_free(&allocator, stencil.dense_in, bytes, (size_t)2 << 20);
    bw_free(&allocator, stencil.dense_out, bytes, (size_t)2 << 20);
    free(coords);
    return true;
}

// All tiles of a 256^3 box at once; the second round finds its memory there already.
static bool time_topology(void)
{
    BwGrid *grid;
    BwField field;
    BwGridDef def = {.cell_size = 1.0f, .dimension = 3};
    int64_t count;
    BwTileCoord *coords = box_of_tiles(32, &count);
    if (bw_grid_create(&grid, &def, NULL) != BW_OK ||
        bw_field_create(&field, grid, BW_AT_CELL, 0.0f, NULL) != BW_OK)
        return false;
    int32_t *slots = malloc((size_t)count * sizeof *slots);
    double wake = 1e30, sleep = 1e30, walk = 1e30;
    volatile int64_t live = 0;
    for (int round = 0; round < 5; round++) {
        double start = bw_clock_seconds();
        if (bw_grid_wake(grid, coords, count, NULL) != BW_OK)
            return false;
        double woken = bw_clock_seconds();
        live = bw_grid_live_cells(grid);
        double walked = bw_clock_seconds();
        for (int32_t n = 0; n < grid->tile_count; n++)
            slots[n] = grid->order[n];
        double ready = bw_clock_seconds();
        bw_grid_sleep(grid, slots, count);
        double slept = bw_clock_seconds();
        wake = woken - start < wake ? woken - start : wake;
        walk = walked - woken < walk ? walked - woken : walk;
        sleep = slept - ready < sleep ? slept - ready : sleep;
    }
    printf("topology %lld tiles (%lld live cells, one field): wake %.1f ms, sorted walk %.2f ms, sleep %.1f "
           "ms\n",
           (long long)count, (long long)live, 1e3 * wake, 1e3 * walk, 1e3 * sleep);
    bw_field_destroy(&field);
    bw_grid_destroy(grid);
    free(coords);
    free(slots);
    return true;
}

int bench_grid(int argument_count, char **arguments)
{
    (void)argument_count, (void)arguments;
    for (int side = 128; side <= 256; side *= 2)
        for (int workers = 1; workers <= 2; workers++)
            if (!compare_stencils(side, workers))
                return 2;
    return time_topology() ? 0 : 2;
}
