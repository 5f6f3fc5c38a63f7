// The pressure solve alone: `billow bench pressure [size[,size...]] [method,...] [case,...]`. Cases P1 to P4,
// seconds of set-up and solve together (the solver's memory is kept between runs, as in a simulation), median
// of 5.
#include "bench.h"
#include "cases.h"
#include "pressure_cases.h"

#include <stdio.h>
#include <string.h>

enum { REPEATS = 5 };

typedef struct Method {
    const char *name;
    BwPressureMethod method;
    int size_max; // beyond it the method takes minutes
} Method;

static const Method methods[] = {{"multigrid", BW_PRESSURE_MULTIGRID, 1024},
                                 {"miccg", BW_PRESSURE_MICCG, 128},
                                 {"cg", BW_PRESSURE_CG, 128},
                                 {"relaxation", BW_PRESSURE_RELAXATION, 64}};
static const char *const case_names[PRESSURE_KINDS] = {"P1", "P2", "P3", "P4"};
static const char *const reasons[] = {"converged", "iterations", "stalled", "empty"};

static int compare_seconds(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return x < y ? -1 : x > y;
}

static void measure(PressureCase *c, const char *name, const Method *method, BwPool *pool)
{
    BwPoissonSolver *solver;
    BwPoissonOptions options = {
        .method = method->method, .tolerance = 1e-6, .iterations_max = 5000, .relaxation = 1.7f};
    BwPoissonReport report = {0};
    BwError err = {0};
    double seconds[REPEATS];
    int repeats = method->method == BW_PRESSURE_MULTIGRID ? REPEATS : 1;
    if (bw_poisson_solver_create(&solver, NULL, pool, &err) != BW_OK)
        return;
    for (int n = method->method == BW_PRESSURE_MULTIGRID ? -1 : 0; n < repeats; n++) {
        pressure_case_reset(c);
        double begin = bw_clock_seconds();
        if (bw_poisson_solve(solver, &c->system, &options, &report, &err) != BW_OK)
            printf("%s\n", err.message);
        if (n >= 0)
            seconds[n] = bw_clock_seconds() - begin;
    }
    qsort(seconds, (size_t)repeats, sizeof *seconds, compare_seconds);
    double median = seconds[repeats / 2];
    printf("%-3s %4d %-10s %9.4f s %5d iterations  residual %.2e %-10s %5.1f bytes/cell %7.1f ns/unknown  %d "
           "regions\n",
           name, c->n, method->name, median, report.iterations, report.residual, reasons[report.reason],
           (double)report.bytes / (double)c->tile_cells, 1e9 * median / (double)c->unknowns, report.regions);
    fflush(stdout);
    bw_poisson_solver_destroy(solver);
}

int bench_pressure(int argc, char **argv)
{
    char *sizes = argc > 1 ? argv[1] : (char[]){"64,128"};
    const char *wanted = argc > 2 ? argv[2] : "multigrid,miccg,cg,relaxation";
    const char *cases = argc > 3 ? argv[3] : "P1,P2,P3,P4";
    BwPool *pool;
    if (bw_pool_create(&pool, &(BwPoolDef){0}, NULL) != BW_OK)
        return 2;
    for (char *size = strtok(sizes, ","); size != NULL; size = strtok(NULL, ","))
        for (int kind = 0; kind < PRESSURE_KINDS; kind++) {
            if (strstr(cases, case_names[kind]) == NULL)
                continue;
            PressureCase c;
            pressure_case_create(&c, (PressureCaseKind)kind, atoi(size) / BW_TILE * BW_TILE);
            for (size_t m = 0; m < sizeof methods / sizeof *methods; m++)
                if (strstr(wanted, methods[m].name) != NULL && c.n <= methods[m].size_max)
                    measure(&c, case_names[kind], &methods[m], pool);
            pressure_case_destroy(&c);
        }
    bw_pool_destroy(pool);
    return 0;
}
