// A whole run, as a program of its own: the command of this process on a scene of scenes/bench, or Blender on
// the same (bench/rivals/blender_fluid.py). Tells what a step takes, from the wall clock, the stats that the
// run prints and the memory that the system saw.
#pragma once

#include <stdbool.h>

enum { WHOLE_RUN_STAGES_MAX = 16 };

typedef struct WholeRun {
    double steps;
    double seconds;    // wall clock, a step
    double processor;  // seconds of the processor in all; of Blender its bake, ours with its start and files
    double memory;     // MiB at most
    double simulated;  // seconds a step without files
    double cells;      // live, mean
    double particles;  // mean; of Blender at the end
    double iterations; // of the pressure, a step
    double travel;     // m that fluid crossed in a step at most
    struct {
        char name[32];
        double seconds;
    } stages[WHOLE_RUN_STAGES_MAX];
    int stage_count;
} WholeRun;

// `scene` is a name in scenes/bench, `settings` what follows on the command line. False when the run fails.
bool whole_run_ours(WholeRun *run, const char *scene, int threads, const char *settings);

// `kind` is gas, fire or liquid, `options` what follows it in the script. False where there is no Blender
// (Debian's package of that name).
bool whole_run_blender(WholeRun *run, const char *kind, int cells, int frames, int threads,
                       const char *options);

// "advect 40%  pressure 60%".
void whole_run_print_stages(const WholeRun *run);

void whole_run_compare(const char *name, const WholeRun *ours, const WholeRun *theirs);

// Measures a size; false when a run fails.
typedef bool WholeRunMeasureFn(int cells, int frames, int threads);

// A case's arguments, CELLS,... FRAMES THREADS: measures each size, and gives the exit code.
int whole_run_sizes(const char *name, int argument_count, char **arguments, int frames,
                    WholeRunMeasureFn *measure);
