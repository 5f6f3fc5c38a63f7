// The benchmarks of `billow bench`: one function a case, in a file of its name, and the table that lists
// them. A case takes what main would, its own name first, prints ratios to stdout and gives an exit code of
// the command: 0 done, 1 wrong arguments, 2 trouble.
#pragma once

typedef int BenchCaseFn(int argument_count, char **arguments);

typedef struct BenchCase {
    const char *name;
    const char *arguments; // "[WORKERS]", or "" when it takes none
    const char *summary;   // one line
    BenchCaseFn *run;
} BenchCase;

// Ends with a NULL name.
extern const BenchCase bench_cases[];

BenchCaseFn bench_advect, bench_fire, bench_grid, bench_initial, bench_liquid, bench_mesh, bench_picture,
    bench_pool, bench_pressure, bench_smoke, bench_solids, bench_sparse, bench_stable, bench_surface,
    bench_viscous;
