// The cases P1 to P4 that the benchmark times: iterations at each size, memory, and the same bits on any
// number of threads.
#include "../../bench/pressure_cases.h"
#include "gate.h"

#include <string.h>

static const char *const names[PRESSURE_KINDS] = {"P1", "P2", "P3", "P4"};
static const int iterations_max[PRESSURE_KINDS] = {8, 8, 10, 10};

#ifdef FULL_SIZE
static const int sizes[] = {64, 128, 256};
#else
static const int sizes[] = {32, 64};
#endif
enum { SIZES = sizeof sizes / sizeof *sizes };

static BwPoissonReport solve(PressureCase *c, BwPool *pool)
{
    BwPoissonSolver *solver;
    BwPoissonOptions options = {.method = BW_PRESSURE_MULTIGRID, .tolerance = 1e-6, .iterations_max = 100};
    BwPoissonReport report;
    assert_int_equal(bw_poisson_solver_create(&solver, NULL, pool, NULL), BW_OK);
    pressure_case_reset(c);
    assert_int_equal(bw_poisson_solve(solver, &c->system, &options, &report, NULL), BW_OK);
    bw_poisson_solver_destroy(solver);
    return report;
}

static void iterations_do_not_grow(void **state)
{
    (void)state;
    for (int kind = 0; kind < PRESSURE_KINDS; kind++) {
        int first = 0;
        for (int n = 0; n < SIZES; n++) {
            PressureCase c;
            char name[64];
            pressure_case_create(&c, (PressureCaseKind)kind, sizes[n]);
            BwPoissonReport report = solve(&c, NULL);
            assert_int_equal(report.reason, BW_STOP_CONVERGED);
            snprintf(name, sizeof name, "%s %d^3 iterations", names[kind], sizes[n]);
            gate(name, report.iterations, GATE_BELOW, iterations_max[kind]);
            snprintf(name, sizeof name, "%s %d^3 true relative residual", names[kind], sizes[n]);
            gate(name, report.residual, GATE_BELOW, 1e-6);
            snprintf(name, sizeof name, "%s %d^3 bytes a cell", names[kind], sizes[n]);
            if (sizes[n] >= 64)
                gate(name, (double)report.bytes / (double)c.tile_cells, GATE_BELOW, 80.0);
            first = n == 0 ? report.iterations : first;
            pressure_case_destroy(&c);
            if (n == SIZES - 1) {
                snprintf(name, sizeof name, "%s growth of iterations", names[kind]);
                gate(name, (double)report.iterations / first, GATE_BELOW, 1.3);
            }
        }
    }
}

static uint64_t hash_of_x(const PressureCase *c)
{
    uint64_t hash = 14695981039346656037u;
    for (int32_t m = 0; m < c->grid->tile_count; m++) {
        const double *x = bw_wide_field_tile(&c->x, c->grid->order[m]);
        for (int cell = 0; cell < 512; cell++) {
            uint64_t bits;
            memcpy(&bits, &x[cell], sizeof bits);
            hash = (hash ^ bits) * 1099511628211u;
        }
    }
    return hash;
}

static void threads_give_the_same_bits(void **state)
{
    (void)state;
    static const int workers[] = {1, 2, 3, 8};
    for (int kind = 0; kind < PRESSURE_KINDS; kind++) {
        PressureCase c;
        uint64_t hash = 0;
        pressure_case_create(&c, (PressureCaseKind)kind, sizes[SIZES > 2 ? 1 : SIZES - 1]);
        for (int n = 0; n < 4; n++) {
            BwPool *pool;
            assert_int_equal(bw_pool_create(&pool, &(BwPoolDef){.worker_count = workers[n]}, NULL), BW_OK);
            solve(&c, pool);
            if (n == 0)
                hash = hash_of_x(&c);
            assert_true(hash_of_x(&c) == hash);
            bw_pool_destroy(pool);
        }
        pressure_case_destroy(&c);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(iterations_do_not_grow),
        cmocka_unit_test(threads_give_the_same_bits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
