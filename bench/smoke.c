// A whole run of smoke against Blender's Mantaflow: `billow bench smoke [CELLS,... [FRAMES [THREADS]]]`. Both
// do the scene of scenes/bench/smoke.lua, one step a frame, and write OpenVDB files; ours is timed as a whole
// program, Blender's bake without the start of Blender. Beside the ratios it prints where our time goes, and
// what each live cell costs.
#include "bench.h"
#include "cases.h"
#include "whole_run.h"

#include "base/memory.h"
#include "base/pool.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct Copy {
    char *from, *to;
} Copy;

enum { COPY_BLOCK = 4 << 20, COPY_BLOCKS = 64 };

static void copy_blocks(int64_t begin, int64_t end, int worker, void *context)
{
    (void)worker;
    const Copy *copy = context;
    for (int64_t n = begin; n < end; n++)
        memcpy(copy->to + n * COPY_BLOCK, copy->from + n * COPY_BLOCK, COPY_BLOCK);
}

// Bytes a second that plain copying reads and writes: the yardstick of what memory can do.
static double copy_speed(int threads)
{
    BwAllocator allocator = bw_allocator_or_default((BwAllocator){0});
    BwPoolDef def = {.allocator = allocator, .worker_count = threads};
    BwPool *pool = NULL;
    size_t size = (size_t)COPY_BLOCK * COPY_BLOCKS;
    Copy copy = {calloc(size, 1), calloc(size, 1)};
    double best = INFINITY;
    if (copy.from != NULL && copy.to != NULL && bw_pool_create(&pool, &def, NULL) == BW_OK)
        for (int n = 0; n < 6; n++) {
            double began = bw_clock_seconds();
            bw_parallel_for(pool, COPY_BLOCKS, 1, copy_blocks, &copy);
            best = fmin(best, bw_clock_seconds() - began);
        }
    bw_pool_destroy(pool);
    free(copy.from);
    free(copy.to);
    return 2.0 * (double)size / best;
}

static void print_run(const char *name, int cells, const WholeRun *run, double copying)
{
    printf("%4d %-7s %8.4f s/step (%.4f without files), %5.0f MiB, %8.3g cells, %5.1f ns a cell, %.1f "
           "iterations, %.2f cells a step\n",
           cells, name, run->seconds, run->simulated, run->memory, run->cells,
           1e9 * run->simulated / run->cells, run->iterations, run->travel * cells / 2.0);
    whole_run_print_stages(run);
    printf("     memory could move %.0f bytes a cell in that time\n", copying * run->simulated / run->cells);
    fflush(stdout);
}

static bool run_ours(WholeRun *run, int cells, int frames, int threads, bool is_dense)
{
    char settings[200];
    snprintf(settings, sizeof settings, "--set cells=%d --set frames=%d --set dense=%s", cells, frames,
             is_dense ? "true" : "false");
    return whole_run_ours(run, "smoke", threads, settings);
}

static bool measure(int cells, int frames, int threads)
{
    WholeRun dense, sparse, blender;
    double copying = copy_speed(threads);
    if (!run_ours(&dense, cells, frames, threads, true))
        return false;
    print_run("dense", cells, &dense, copying);
    if (!run_ours(&sparse, cells, frames, threads, false))
        return false;
    print_run("sparse", cells, &sparse, copying);
    if (!whole_run_blender(&blender, "gas", cells, frames + 1, threads, "")) {
        printf("     no Blender to compare with (package blender)\n");
        return true;
    }
    whole_run_compare("dense", &dense, &blender);
    whole_run_compare("sparse", &sparse, &blender);
    return true;
}

int bench_smoke(int argument_count, char **arguments)
{
    return whole_run_sizes("smoke", argument_count, arguments, 30, measure);
}
