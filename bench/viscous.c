// A whole run of a dam of thick liquid that slumps, against the same of water, and against Blender's
// Mantaflow with its viscosity solver: `billow bench viscous [CELLS,... [FRAMES [THREADS]]]`. The scene is
// scenes/bench/liquid.lua, particles everywhere, with a viscosity; both solvers are implicit, with all of the
// stress (Batty and Bridson 2008).
#include "cases.h"
#include "whole_run.h"

#include <stdio.h>

static bool run_ours(WholeRun *run, int cells, int frames, int threads, double viscosity)
{
    char settings[200];
    snprintf(settings, sizeof settings, "--set resolution=%d --set frames=%d --set band=0 --set viscosity=%g",
             cells, frames, viscosity);
    if (!whole_run_ours(run, "liquid", threads, settings))
        return false;
    printf("%4d, viscosity %4g m^2/s: %8.4f s/step (%.4f without files), %5.0f MiB\n", cells, viscosity,
           run->seconds, run->simulated, run->memory);
    whole_run_print_stages(run);
    fflush(stdout);
    return true;
}

static bool measure(int cells, int frames, int threads)
{
    const double viscosities[] = {0.05, 0.5};
    WholeRun thin, thick[2], blender;
    if (!run_ours(&thin, cells, frames, threads, 0.0))
        return false;
    for (int n = 0; n < 2; n++) {
        if (!run_ours(&thick[n], cells, frames, threads, viscosities[n]))
            return false;
        printf("     a thick step takes %.1f times a thin one, %.1f by processor time with start and files\n",
               thick[n].simulated / thin.simulated, thick[n].processor / thin.processor);
    }
    for (int n = 0; n < 2; n++) {
        char options[64];
        snprintf(options, sizeof options, "viscosity=%g", viscosities[n]);
        if (!whole_run_blender(&blender, "liquid", cells, frames + 1, threads, options)) {
            printf("     no Blender to compare with (package blender)\n");
            return true;
        }
        snprintf(options, sizeof options, "viscosity %g", viscosities[n]);
        whole_run_compare(options, &thick[n], &blender);
        fflush(stdout);
    }
    return true;
}

int bench_viscous(int argument_count, char **arguments)
{
    return whole_run_sizes("viscous", argument_count, arguments, 10, measure);
}
