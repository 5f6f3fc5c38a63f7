// Cases that call kernels of the engine by name: those of the instruction set at work.
#include "base/cpu.h"
#include "cases.h"

#include <stdio.h>

#if BW_HAS_V3
#define NAME_OF_V3(name) [BW_CPU_V3] = name##_v3,
BenchCaseFn bench_advect_v3, bench_grid_v3, bench_pressure_v3, bench_surface_v3;
#else
#define NAME_OF_V3(name)
#endif
#if BW_HAS_V4
#define NAME_OF_V4(name) [BW_CPU_V4] = name##_v4,
BenchCaseFn bench_advect_v4, bench_grid_v4, bench_pressure_v4, bench_surface_v4;
#else
#define NAME_OF_V4(name)
#endif
#if BW_HAS_SCALAR
#define NAME_OF_SCALAR(name) [BW_CPU_SCALAR] = name##_scalar,
BenchCaseFn bench_advect_scalar, bench_grid_scalar, bench_pressure_scalar, bench_surface_scalar;
#else
#define NAME_OF_SCALAR(name)
#endif
BenchCaseFn bench_advect_baseline, bench_grid_baseline, bench_pressure_baseline, bench_surface_baseline;

#define NAMES_OF(name)                                                                                       \
    {                                                                                                        \
        [BW_CPU_BASELINE] = name##_baseline, NAME_OF_V3(name) NAME_OF_V4(name) NAME_OF_SCALAR(name)          \
    }

static int run(BenchCaseFn *const of_cpu[BW_CPU_COUNT], int argument_count, char **arguments)
{
    BwCpu cpu;
    BwError err;
    if (bw_cpu_choose(&cpu, &err) != BW_OK) {
        fprintf(stderr, "billow: %s\n", err.message);
        return 2;
    }
    return of_cpu[cpu](argument_count, arguments);
}

int bench_advect(int argument_count, char **arguments)
{
    static BenchCaseFn *const of_cpu[BW_CPU_COUNT] = NAMES_OF(bench_advect);
    return run(of_cpu, argument_count, arguments);
}

int bench_grid(int argument_count, char **arguments)
{
    static BenchCaseFn *const of_cpu[BW_CPU_COUNT] = NAMES_OF(bench_grid);
    return run(of_cpu, argument_count, arguments);
}

int bench_pressure(int argument_count, char **arguments)
{
    static BenchCaseFn *const of_cpu[BW_CPU_COUNT] = NAMES_OF(bench_pressure);
    return run(of_cpu, argument_count, arguments);
}

int bench_surface(int argument_count, char **arguments)
{
    static BenchCaseFn *const of_cpu[BW_CPU_COUNT] = NAMES_OF(bench_surface);
    return run(of_cpu, argument_count, arguments);
}
