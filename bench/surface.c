// What a signed distance costs: `billow bench surface [CELLS [THREADS]]`. A ball in a box of CELLS (256) a
// side, its distance made anew over a band of six cells on each side, by marching, by sweeping and by
// relaxing; beside OpenVDB's own tools on the same ball, where it was built. Best of five. And what share of
// a step of a level-set liquid it takes: a dam break of a quarter of the cells a side.
#include "bench.h"
#include "cases.h"
#include "operate/distance.h"

#include <billow/billow.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { BAND = 6, REPEATS = 5 };

typedef struct Ball {
    BwPool *pool;
    BwGrid *grid;
    BwField start, phi;
    BwDistance distance;
    BwDistanceMethod method;
    BwShape shape;
} Ball;

// Wakes the tiles that the band may touch.
static BwResult wake_band(Ball *ball, int cells, BwError *err)
{
    for (int32_t n = 0; n < cells / 8 * (cells / 8) * (cells / 8); n++) {
        BwTileCoord coord = {n % (cells / 8), n / (cells / 8) % (cells / 8), n / (cells / 8) / (cells / 8)};
        BwVec3 middle = {8.0f * (float)coord.x + 4.0f, 8.0f * (float)coord.y + 4.0f,
                         8.0f * (float)coord.z + 4.0f};
        if (fabsf(bw_shape_distance(&ball->shape, middle)) < BAND + 7.0f)
            BW_TRY(bw_grid_wake(ball->grid, &coord, 1, err));
    }
    return BW_OK;
}

static BwResult create(Ball *ball, int cells, int threads, BwError *err)
{
    BwPoolDef pool = {.worker_count = threads};
    BwGridDef def = {.cell_size = 1.0f, .dimension = 3};
    float middle = 0.5f * (float)cells;
    ball->shape = bw_sphere(bw_vec3(middle + 0.013f, middle - 0.021f, middle + 0.007f), 0.4f * (float)cells);
    BW_TRY(bw_pool_create(&ball->pool, &pool, err));
    BW_TRY(bw_grid_create(&ball->grid, &def, err));
    BW_TRY(bw_field_create(&ball->start, ball->grid, BW_AT_CELL, BAND, err));
    BW_TRY(bw_field_create(&ball->phi, ball->grid, BW_AT_CELL, BAND, err));
    BW_TRY(bw_distance_create(&ball->distance, ball->grid, err));
    BW_TRY(wake_band(ball, cells, err));
    bw_distance_from_shape(&ball->start, ball->pool, &ball->shape, BAND);
    return BW_OK;
}

static void destroy(Ball *ball)
{
    bw_distance_destroy(&ball->distance);
    bw_field_destroy(&ball->phi);
    bw_field_destroy(&ball->start);
    bw_grid_destroy(ball->grid);
    bw_pool_destroy(ball->pool);
}

static void run(void *context)
{
    Ball *ball = context;
    BwRedistance how = {.method = ball->method, .band = BAND};
    bw_redistance(&ball->distance, &ball->phi, ball->pool, &how);
}

static int64_t band_cells(const Ball *ball)
{
    int64_t count = 0;
    for (int32_t m = 0; m < ball->grid->tile_count; m++)
        for (int n = 0; n < ball->grid->tile_cells; n++)
            count += fabsf(bw_field_tile(&ball->start, ball->grid->order[m])[n]) < BAND;
    return count;
}

static double best_seconds(Ball *ball, BwDistanceMethod method)
{
    double best = 1e30;
    ball->method = method;
    for (int n = 0; n < REPEATS; n++) {
        for (int32_t m = 0; m < ball->grid->tile_count; m++)
            for (int c = 0; c < ball->grid->tile_cells; c++)
                bw_field_tile(&ball->phi, ball->grid->order[m])[c] =
                    bw_field_tile(&ball->start, ball->grid->order[m])[c];
        double seconds = bench_once(run, ball);
        best = seconds < best ? seconds : best;
    }
    return best;
}

// OpenVDB's seconds for rebuilding and for sweeping; false where it was not built.
static bool measure_vdb(int cells, int threads, double *rebuild, double *sweep)
{
#ifdef BENCH_VDB
    char command[512];
    long long active;
    if (access(BENCH_VDB, X_OK) != 0) {
        printf("without OpenVDB: cmake --build BUILD --target bench_vdb makes it\n");
        return false;
    }
    snprintf(command, sizeof command, "%s %g %d %d", BENCH_VDB, 0.4 * cells, BAND, threads);
    FILE *pipe = popen(command, "r");
    bool is_read = pipe != NULL && fscanf(pipe, "%lf %lf %lld", rebuild, sweep, &active) == 3;
    return (pipe == NULL || pclose(pipe) == 0) && is_read;
#else
    (void)cells, (void)threads, (void)rebuild, (void)sweep;
    return false;
#endif
}

static void print_figures(Ball *ball, int cells, int threads)
{
    static const char *const names[] = {"marching", "sweeping", "relaxing"};
    double seconds[3], count = (double)band_cells(ball), rebuild, sweep;
    for (int method = 0; method < 3; method++) {
        seconds[method] = best_seconds(ball, (BwDistanceMethod)method);
        printf("%-9s %8.4f s  %6.1f ns a cell of %.0f\n", names[method], seconds[method],
               1e9 * seconds[method] / count, count);
    }
    if (!measure_vdb(cells, threads, &rebuild, &sweep))
        return;
    printf("OpenVDB   %8.4f s  %6.1f ns a cell, levelSetRebuild\n", rebuild, 1e9 * rebuild / count);
    printf("OpenVDB   %8.4f s  %6.1f ns a cell, sdfToSdf\n", sweep, 1e9 * sweep / count);
    for (int method = 0; method < 2; method++)
        printf("%s is %.2f times as fast as levelSetRebuild, %.2f times as fast as sdfToSdf\n", names[method],
               rebuild / seconds[method], sweep / seconds[method]);
}

enum { DAM_FRAMES = 6 };

static BwResult run_dam(int cells, int threads, BwStats *stats, double share[2], BwError *err)
{
    BwSceneDef scene = bw_scene_def_default();
    BwFillDef fill = bw_fill_def_default();
    BwWorldDef def = bw_world_def_default();
    BwWorld *world;
    scene.fluid = BW_FLUID_LIQUID;
    scene.liquid.method = BW_LIQUID_LEVELSET;
    scene.cell = 1.0f / (float)cells;
    scene.frames = DAM_FRAMES;
    scene.has_walls = true;
    scene.walls.max = bw_vec3(1.0f, 1.0f, 1.0f);
    fill.shape = bw_box(bw_vec3(0.0f, 0.0f, 0.0f), bw_vec3(0.4f, 0.6f, 1.0f));
    scene.fills = &fill;
    scene.fill_count = 1;
    def.scene = &scene;
    def.worker_count = threads;
    BW_TRY(bw_world_create(&world, &def, err));
    BwResult result = BW_OK;
    for (int n = 0; n < DAM_FRAMES && result == BW_OK; n++) {
        result = bw_world_step_frame(world, NULL, err);
        *stats = *bw_world_view_stats(world);
        for (int s = 0; s < stats->stage_count; s++)
            share[strcmp(stats->stages[s].name, "redistance") != 0] += stats->stages[s].seconds;
    }
    bw_world_destroy(world);
    return result;
}

static BwResult print_share(int cells, int threads, BwError *err)
{
    BwStats stats = {0};
    double share[2] = {0.0};
    BW_TRY(run_dam(cells, threads, &stats, share, err));
    printf("redistance %.1f%% of the steps of a level-set dam break of %d^3\n",
           100.0 * share[0] / (share[0] + share[1]), cells);
    return BW_OK;
}

int bench_surface(int argument_count, char **arguments)
{
    int cells = argument_count > 1 ? atoi(arguments[1]) : 256,
        threads = argument_count > 2 ? atoi(arguments[2]) : 0;
    if (argument_count > 3 || cells < 64 || cells > 1024 || cells % 8 != 0 || threads < 0) {
        fprintf(stderr, "usage: billow bench surface [CELLS [THREADS]]\n");
        return 1;
    }
    Ball ball = {0};
    BwError err = {0};
    BwResult result = create(&ball, cells, threads, &err);
    if (result == BW_OK) {
        print_figures(&ball, cells, bw_pool_worker_count(ball.pool));
        result = print_share(cells / 4, threads, &err);
    }
    if (result != BW_OK)
        fprintf(stderr, "billow: %s\n", err.message);
    destroy(&ball);
    return result == BW_OK ? 0 : 2;
}
