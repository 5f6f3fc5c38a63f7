// A whole run of fire against Blender's Mantaflow: `billow bench fire [CELLS,... [FRAMES [THREADS]]]`. Both
// do the scene of scenes/bench/fire.lua, one step a frame, and write OpenVDB files; ours is timed as a whole
// program, Blender's bake without the start of Blender. Ours is run by the simple model, which burns a scalar
// as Blender does, and by the thin flame; smoke of as many cells tells what burning adds.
#include "cases.h"
#include "whole_run.h"

#include <stdio.h>

static void print_run(const char *kind, int cells, const WholeRun *run, const WholeRun *smoke)
{
    printf("%4d, %s: %8.4f s/step (%.4f without files), %5.0f MiB, %8.3g cells, %5.1f ns a cell, %.1f "
           "iterations; %.2f of a step of smoke, %.2f of its processor time with files\n",
           cells, kind, run->seconds, run->simulated, run->memory, run->cells,
           1e9 * run->simulated / run->cells, run->iterations, run->simulated / smoke->simulated,
           run->processor / run->steps * smoke->steps / smoke->processor);
    whole_run_print_stages(run);
    fflush(stdout);
}

static bool run_model(WholeRun *run, const char *model, int cells, int frames, int threads)
{
    char settings[200];
    snprintf(settings, sizeof settings, "--set cells=%d --set frames=%d --set model=%s", cells, frames,
             model);
    return whole_run_ours(run, "fire", threads, settings);
}

static bool measure(int cells, int frames, int threads)
{
    WholeRun smoke, simple, thin, blender;
    char settings[200];
    snprintf(settings, sizeof settings, "--set cells=%d --set frames=%d --set dense=true", cells, frames);
    if (!whole_run_ours(&smoke, "smoke", threads, settings) ||
        !run_model(&simple, "simple", cells, frames, threads))
        return false;
    print_run("simple", cells, &simple, &smoke);
    if (!run_model(&thin, "thin", cells, frames, threads))
        return false;
    print_run("thin flame", cells, &thin, &smoke);
    if (!whole_run_blender(&blender, "fire", cells, frames + 1, threads, "")) {
        printf("     no Blender to compare with (package blender)\n");
        return true;
    }
    whole_run_compare("simple", &simple, &blender);
    whole_run_compare("thin flame", &thin, &blender);
    return true;
}

int bench_fire(int argument_count, char **arguments)
{
    return whole_run_sizes("fire", argument_count, arguments, 20, measure);
}
