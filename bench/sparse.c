// What the empty part of a box costs: `billow bench sparse [CELLS]`. Two seconds of one plume, CELLS tall
// (256), with every cell of its box awake and with only those near the smoke.
#include "cases.h"

#include "rising_plume.h"

static bool run(int cells, PlumeAir air, const char *name, PlumeResult *result)
{
    BwError err = {0};
    PlumeDef def = {.cells = cells, .fps = 24.0f, .air = air, .source = PLUME_NARROW_VENT};
    if (!run_plume(&def, result, &err)) {
        fprintf(stderr, "billow: %s\n", err.message);
        return false;
    }
    printf("%-7s %8.2f s, %7.1f MB, %5.1f%% of the box around it awake, smoke up to %.3f m\n", name,
           result->seconds, 1e-6 * result->bytes, 100.0 * result->fill, result->height);
    fflush(stdout);
    return true;
}

int bench_sparse(int argument_count, char **arguments)
{
    int cells = argument_count > 1 ? atoi(arguments[1]) : 256;
    PlumeResult sparse, dense;
    if (cells < 16 || cells > 1024) {
        fprintf(stderr, "billow: bench sparse takes 16 to 1024 cells\n");
        return 1;
    }
    if (!run(cells, PLUME_NEAR_SMOKE, "sparse", &sparse) || !run(cells, PLUME_WHOLE_BOX, "dense", &dense))
        return 2;
    printf("sparse takes %.3f of the time and %.3f of the memory; heights differ by %.1f%%\n",
           sparse.seconds / dense.seconds, sparse.bytes / dense.bytes,
           100.0 * fabs(sparse.height - dense.height) / dense.height);
    return 0;
}
