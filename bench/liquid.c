// A whole run of a dam break against Blender's Mantaflow: `billow bench liquid [CELLS,... [FRAMES
// [THREADS]]]`. Both do the scene of scenes/bench/liquid.lua, four steps a frame, and write fields and
// particles; ours is timed as a whole program, Blender's bake without the start of Blender. Ours is run with
// particles everywhere, eight a cell, and with those near the surface alone, as Blender's are.
#include "cases.h"
#include "whole_run.h"

#include <stdio.h>

static void print_run(const char *kind, int cells, const WholeRun *run)
{
    printf("%4d, %s: %8.4f s/step (%.4f without files), %5.0f MiB, %8.3g cells, %8.3g particles, %5.1f ns a "
           "particle and step, %.1f iterations, %.2f cells a step\n",
           cells, kind, run->seconds, run->simulated, run->memory, run->cells, run->particles,
           1e9 * run->simulated / run->particles, run->iterations, run->travel * cells / 2.0);
    whole_run_print_stages(run);
    fflush(stdout);
}

static bool measure(int cells, int frames, int threads)
{
    WholeRun all, ours, blender;
    char settings[200];
    snprintf(settings, sizeof settings, "--set resolution=%d --set frames=%d --set band=0", cells, frames);
    if (!whole_run_ours(&all, "liquid", threads, settings))
        return false;
    print_run("particles everywhere", cells, &all);
    snprintf(settings, sizeof settings, "--set resolution=%d --set frames=%d", cells, frames);
    if (!whole_run_ours(&ours, "liquid", threads, settings))
        return false;
    print_run("narrow band", cells, &ours);
    if (!whole_run_blender(&blender, "liquid", cells, frames + 1, threads, "")) {
        printf("     no Blender to compare with (package blender)\n");
        return true;
    }
    whole_run_compare("particles everywhere", &all, &blender);
    whole_run_compare("narrow band", &ours, &blender);
    printf("     Blender has %.3g particles at the end\n", blender.particles);
    return true;
}

int bench_liquid(int argument_count, char **arguments)
{
    return whole_run_sizes("liquid", argument_count, arguments, 20, measure);
}
