// Runs programs and reads the lines of JSON that they print.
#include "whole_run.h"

#include "base/clock.h"
#include "base/json_read.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

static void add_stages(WholeRun *run, BwJsonText stages)
{
    BwJsonText name, value;
    const char *at = stages.begin;
    while (bw_json_next(stages, &at, &name, &value)) {
        int n = 0, length = (int)(name.end - name.begin);
        while (n < run->stage_count && strncmp(run->stages[n].name, name.begin, (size_t)length) != 0)
            n++;
        if (n == WHOLE_RUN_STAGES_MAX)
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

// Sums a line of the stats up, weighed by its steps; that of the start has none.
static void add_frame(WholeRun *run, BwJsonText line)
{
    BwJsonText stages;
    double steps = number(line, "steps");
    if (bw_json_find(line, "stage_seconds", &stages))
        add_stages(run, stages);
    run->steps += steps;
    run->cells += steps * number(line, "cells");
    run->particles += steps * number(line, "particles");
    run->simulated += number(line, "seconds");
    run->iterations += number(line, "iterations");
    run->travel = fmax(run->travel, number(line, "max_speed") * number(line, "dt_max"));
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

static double processor_seconds(const struct rusage *usage)
{
    return (double)(usage->ru_utime.tv_sec + usage->ru_stime.tv_sec) +
           1e-6 * (double)(usage->ru_utime.tv_usec + usage->ru_stime.tv_usec);
}

// Runs a command and hands each line of its output to the reader; notes the most memory it held and, where
// it has not told it, its processor time. False when it fails.
static bool read_lines(const char *command, void (*read)(WholeRun *run, BwJsonText line), WholeRun *run)
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
    run->processor = run->processor > 0.0 ? run->processor : processor_seconds(&usage);
    return is_done;
}

bool whole_run_ours(WholeRun *run, const char *scene, int threads, const char *settings)
{
    char command[1024], folder[] = "/tmp/bench_run_XXXXXX";
    *run = (WholeRun){0};
    if (mkdtemp(folder) == NULL)
        return false;
    snprintf(command, sizeof command, "/proc/%d/exe run '%s/%s.lua' -o %s/run --json --threads %d %s",
             (int)getpid(), BENCH_SCENES, scene, folder, threads, settings);
    double began = bw_clock_seconds();
    bool is_done = read_lines(command, add_frame, run);
    double steps = fmax(run->steps, 1.0);
    run->seconds = (bw_clock_seconds() - began) / steps;
    run->cells /= steps;
    run->particles /= steps;
    run->simulated /= steps;
    run->iterations /= steps;
    snprintf(command, sizeof command, "rm -r %s", folder);
    return system(command) == 0 && is_done;
}

static void read_blender(WholeRun *run, BwJsonText line)
{
    run->steps = number(line, "steps");
    run->seconds = number(line, "s_per_step");
    run->processor = number(line, "processor_seconds");
    run->particles = number(line, "particles");
}

bool whole_run_blender(WholeRun *run, const char *kind, int cells, int frames, int threads,
                       const char *options)
{
    char command[1024];
    *run = (WholeRun){0};
    snprintf(command, sizeof command,
             "command -v blender >/dev/null && blender -b -t %d --factory-startup --python "
             "'%s/blender_fluid.py' -- %s %d %d %s 2>/dev/null",
             threads, BENCH_RIVALS, kind, cells, frames, options);
    return read_lines(command, read_blender, run) && run->seconds > 0.0;
}

void whole_run_print_stages(const WholeRun *run)
{
    double sum = 0.0;
    for (int n = 0; n < run->stage_count; n++)
        sum += run->stages[n].seconds;
    printf("     ");
    for (int n = 0; n < run->stage_count; n++)
        printf("%s %.0f%%  ", run->stages[n].name, 100.0 * run->stages[n].seconds / sum);
    printf("\n");
}

void whole_run_compare(const char *name, const WholeRun *ours, const WholeRun *theirs)
{
    double processor = theirs->processor / fmax(theirs->steps, 1.0) / (ours->processor / ours->steps);
    printf("     %s: %.1f times as fast as Blender (%.3f s/step), %.1f by processor time, %.2f of its memory "
           "(%.0f MiB)\n",
           name, theirs->seconds / ours->seconds, theirs->seconds, processor, ours->memory / theirs->memory,
           theirs->memory);
}

int whole_run_sizes(const char *name, int argument_count, char **arguments, int frames,
                    WholeRunMeasureFn *measure)
{
    char sizes[256] = "64,128";
    if (argument_count > 1)
        snprintf(sizes, sizeof sizes, "%s", arguments[1]);
    frames = argument_count > 2 ? atoi(arguments[2]) : frames;
    int threads = argument_count > 3 ? atoi(arguments[3]) : 2;
    for (char *size = strtok(sizes, ","); size != NULL; size = strtok(NULL, ",")) {
        int cells = atoi(size);
        if (cells < 8 || cells > 1024 || frames < 1 || threads < 1) {
            fprintf(stderr, "billow: bench %s takes cells from 8 to 1024, frames and threads from 1\n", name);
            return 1;
        }
        if (!measure(cells, frames, threads))
            return 2;
    }
    return 0;
}
