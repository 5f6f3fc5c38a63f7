// A whole run of smoke against Blender's Mantaflow: `billow bench smoke [CELLS,... [FRAMES [THREADS]]]`. Both
// do the scene of scenes/bench/smoke.lua, one step a frame, and write OpenVDB files; ours is timed as a whole
// program, Blender's bake without the start of Blender. Beside the ratios it prints where our time goes, and
// what each live cell costs.
#include "bench.h"
#include "cases.h"

#include "base/json_read.h"
#include "base/memory.h"
#include "base/pool.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

enum { STAGES_MAX = 16 };

typedef struct Stage {
    char name[32];
    double seconds;
} Stage;

// What a run took.
typedef struct Run {
    double seconds;    // wall clock, a step
    double memory;     // MiB at most
    double cells;      // live, mean
    double simulated;  // seconds a step without files
    double iterations; // of the pressure, a step
    double speed;      // cells a step at most
    Stage stages[STAGES_MAX];
    int stage_count;
} Run;

static void add_stages(Run *run, BwJsonText stages)
{
    BwJsonText name, value;
    const char *at = stages.begin;
    while (bw_json_next(stages, &at, &name, &value)) {
        int n = 0, length = (int)(name.end - name.begin);
        while (n < run->stage_count && strncmp(run->stages[n].name, name.begin, (size_t)length) != 0)
            n++;
        if (n == STAGES_MAX)
            return;
        if (n == run->stage_count)
            snprintf(run->stages[run->stage_count++].name, sizeof run->stages[0].name, "%.*s", length,
                     name.begin);
        run->stages[n].seconds += strtod(value.begin, NULL);
    }
}

static double number(BwJsonText line, const char *key)
{
    double value = 0.0;
    bw_json_find_number(line, key, &value);
    return value;
}

// Sums a line of the stats up.
static void add_frame(Run *run, BwJsonText line)
{
    BwJsonText stages;
    if (bw_json_find(line, "stage_seconds", &stages))
        add_stages(run, stages);
    run->cells += number(line, "cells");
    run->simulated += number(line, "seconds");
    run->iterations += number(line, "iterations");
    double speed = number(line, "max_speed") * number(line, "dt_max");
    run->speed = speed > run->speed ? speed : run->speed;
}

// Starts a command whose output can be read.
static pid_t start(const char *command, FILE **output)
{
    int ends[2];
    if (pipe(ends) != 0)
        return -1;
    pid_t child = fork();
    if (child == 0) {
        dup2(ends[1], STDOUT_FILENO);
        close(ends[0]);
        close(ends[1]);
        execl("/bin/sh", "sh", "-c", command, (char *)NULL);
        _exit(127);
    }
    close(ends[1]);
    *output = fdopen(ends[0], "r");
    return child;
}

// Runs a command and hands each line of its output to the reader; notes the most memory it held. False when
// it fails.
static bool read_lines(const char *command, void (*read)(Run *run, BwJsonText line), Run *run)
{
    char line[4096];
    FILE *output = NULL;
    pid_t child = start(command, &output);
    if (child < 0 || output == NULL)
        return false;
    while (fgets(line, sizeof line, output) != NULL)
        if (line[0] == '{')
            read(run, (BwJsonText){line, line + strlen(line)});
    fclose(output);
    int status = 0;
    struct rusage usage;
    bool is_done = wait4(child, &status, 0, &usage) == child && status == 0;
    run->memory = (double)usage.ru_maxrss / 1024.0;
    return is_done;
}

static bool run_ours(Run *run, int cells, int frames, int threads, bool is_dense)
{
    char command[1024], folder[] = "/tmp/bench_smoke_XXXXXX";
    *run = (Run){0};
    if (mkdtemp(folder) == NULL)
        return false;
    snprintf(command, sizeof command,
             "/proc/%d/exe run '%s/smoke.lua' -o %s/run --json --threads %d --set cells=%d --set frames=%d "
             "--set dense=%s",
             (int)getpid(), BENCH_SCENES, folder, threads, cells, frames, is_dense ? "true" : "false");
    double began = bw_clock_seconds();
    bool is_done = read_lines(command, add_frame, run);
    run->seconds = (bw_clock_seconds() - began) / frames;
    run->cells /= frames;
    run->simulated /= frames;
    run->iterations /= frames;
    run->speed *= cells / 2.0;
    snprintf(command, sizeof command, "rm -r %s", folder);
    return system(command) == 0 && is_done;
}

static void read_blender(Run *run, BwJsonText line)
{
    run->seconds = number(line, "s_per_step");
}

// False where there is no Blender (Debian's package of that name).
static bool run_blender(Run *run, int cells, int frames, int threads)
{
    char command[1024];
    *run = (Run){0};
    snprintf(command, sizeof command,
             "command -v blender >/dev/null && blender -b -t %d --factory-startup --python "
             "'%s/blender_fluid.py' -- gas %d %d 2>/dev/null",
             threads, BENCH_RIVALS, cells, frames);
    return read_lines(command, read_blender, run) && run->seconds > 0.0;
}

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

static void print_run(const char *name, int cells, const Run *run, double copying)
{
    printf("%4d %-7s %8.4f s/step (%.4f without files), %5.0f MiB, %8.3g cells, %5.1f ns a cell, %.1f "
           "iterations, %.2f cells "
           "a step\n     ",
           cells, name, run->seconds, run->simulated, run->memory, run->cells,
           1e9 * run->simulated / run->cells, run->iterations, run->speed);
    double sum = 0.0;
    for (int n = 0; n < run->stage_count; n++)
        sum += run->stages[n].seconds;
    for (int n = 0; n < run->stage_count; n++)
        printf("%s %.0f%%  ", run->stages[n].name, 100.0 * run->stages[n].seconds / sum);
    printf("\n     memory could move %.0f bytes a cell in that time\n",
           copying * run->simulated / run->cells);
    fflush(stdout);
}

static void compare(const char *name, const Run *ours, const Run *theirs)
{
    printf("     %s: %.1f times as fast as Blender (%.3f s/step), %.2f of its memory (%.0f MiB)\n", name,
           theirs->seconds / ours->seconds, theirs->seconds, ours->memory / theirs->memory, theirs->memory);
}

static bool measure(int cells, int frames, int threads)
{
    Run dense, sparse, blender;
    double copying = copy_speed(threads);
    if (!run_ours(&dense, cells, frames, threads, true))
        return false;
    print_run("dense", cells, &dense, copying);
    if (!run_ours(&sparse, cells, frames, threads, false))
        return false;
    print_run("sparse", cells, &sparse, copying);
    if (!run_blender(&blender, cells, frames + 1, threads)) {
        printf("     no Blender to compare with (package blender)\n");
        return true;
    }
    compare("dense", &dense, &blender);
    compare("sparse", &sparse, &blender);
    return true;
}

int bench_smoke(int argument_count, char **arguments)
{
    char sizes[256] = "64,128";
    if (argument_count > 1)
        snprintf(sizes, sizeof sizes, "%s", arguments[1]);
    int frames = argument_count > 2 ? atoi(arguments[2]) : 30;
    int threads = argument_count > 3 ? atoi(arguments[3]) : 2;
    for (char *size = strtok(sizes, ","); size != NULL; size = strtok(NULL, ",")) {
        int cells = atoi(size);
        if (cells < 8 || cells > 1024 || frames < 1 || threads < 1) {
            fprintf(stderr, "billow: bench smoke takes cells from 8 to 1024, frames and threads from 1\n");
            return 1;
        }
        if (!measure(cells, frames, threads))
            return 2;
    }
    return 0;
}
