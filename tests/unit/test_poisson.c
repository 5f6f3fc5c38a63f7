// Every method of the pressure solve against dense direct solves on small random ragged domains: solids, air,
// cut faces, singular regions, mass, 2-D and 3-D, periodic.
#include "poisson_case.h"

typedef struct Domain {
    const char *name;
    int dimension;
    int32_t low[3], size[3];
    bool periodic[3];
    PoissonRandom random;
} Domain;

static const Domain domains[] = {
    {"closed box", 3, {4, 5, 3}, {8, 7, 6}, {0}, {1.0, 0.0, false, true, false}},
    {"ragged liquid", 3, {4, -3, 3}, {8, 7, 7}, {0}, {0.7, 0.0, false, false, false}},
    {"cut faces", 3, {-4, 5, 3}, {7, 8, 7}, {0}, {0.8, 0.2, true, false, false}},
    {"sealed pockets", 3, {4, 5, 3}, {8, 7, 7}, {0}, {0.6, 0.3, true, true, false}},
    {"heat", 3, {4, 5, 3}, {8, 7, 7}, {0}, {0.8, 0.2, true, true, true}},
    {"droplets", 3, {4, 5, 3}, {8, 8, 7}, {0}, {0.2, 0.0, true, false, false}},
    {"flat", 2, {-7, 5, 0}, {19, 17, 1}, {0}, {0.75, 0.1, true, false, false}},
    {"flat and sealed", 2, {3, 5, 0}, {18, 19, 1}, {0}, {0.7, 0.2, true, true, false}},
    {"flat and periodic", 2, {0, 0, 0}, {24, 16, 1}, {true, true, false}, {0.8, 0.1, true, true, false}},
    {"periodic", 3, {8, 3, 0}, {8, 6, 8}, {true, false, true}, {0.9, 0.1, true, true, false}},
};

static double worst_error(BwPressureMethod method, double tolerance, bool keeps_small)
{
    double worst = 0.0;
    for (size_t d = 0; d < sizeof domains / sizeof *domains; d++)
        for (uint64_t seed = 1; seed <= 2; seed++) {
            const Domain *domain = &domains[d];
            PoissonCase c;
            Random random = random_seeded(seed);
            poisson_case_create(&c, domain->dimension, domain->low, domain->size, domain->periodic);
            poisson_case_fill(&c, &domain->random, &random);
            double *answer = malloc((size_t)poisson_case_count(&c) * sizeof *answer);
            int regions = poisson_case_answer(&c, answer);
            BwPoissonSolver *solver;
            assert_int_equal(bw_poisson_solver_create(&solver, NULL, NULL, NULL), BW_OK);
            BwPoissonOptions options = {.method = method,
                                        .tolerance = tolerance,
                                        .iterations_max = 2000,
                                        .relaxation = 1.7f,
                                        .keeps_small = keeps_small};
            BwPoissonReport report;
            BwError err = {0};
            assert_int_equal(bw_poisson_solve(solver, &c.system, &options, &report, &err), BW_OK);
            double error = poisson_case_error(&c, answer);
            if (report.reason != BW_STOP_CONVERGED || report.regions != regions || !(error < 1.0))
                fail_msg("%s, seed %d: reason %d, residual %g, %d regions of %d, error %g", domain->name,
                         (int)seed, (int)report.reason, report.residual, report.regions, regions, error);
            worst = fmax(worst, error);
            bw_poisson_solver_destroy(solver);
            free(answer);
            poisson_case_destroy(&c);
        }
    return worst;
}

static void cg_agrees_with_direct_solves(void **state)
{
    (void)state;
    gate("cg error against direct solves", worst_error(BW_PRESSURE_CG, 1e-11, false), GATE_BELOW, 1e-8);
}

static void miccg_agrees_with_direct_solves(void **state)
{
    (void)state;
    gate("miccg error against direct solves", worst_error(BW_PRESSURE_MICCG, 1e-11, false), GATE_BELOW, 1e-8);
}

static void multigrid_agrees_with_direct_solves(void **state)
{
    (void)state;
    gate("multigrid error against direct solves", worst_error(BW_PRESSURE_MULTIGRID, 1e-9, true), GATE_BELOW,
         1e-6);
    gate("the same with small components apart", worst_error(BW_PRESSURE_MULTIGRID, 1e-9, false), GATE_BELOW,
         1e-6);
}

// Boxes of any size and place, periods of any length, any share of unknowns and of closed faces: mazes of
// weak links, hundreds of sealed pockets. The cycle must stay positive on all of them.
static void multigrid_converges_on_any_domain(void **state)
{
    (void)state;
    int worst = 0;
    for (uint64_t seed = 1; seed <= 150; seed++) {
        Random random = random_seeded(77 * seed + 5);
        int dimension = 2 + random_below(&random, 2);
        int32_t low[3], size[3];
        bool periodic[3];
        for (int a = 0; a < 3; a++) {
            periodic[a] = random_below(&random, 3) == 0;
            low[a] = periodic[a] ? 8 * (random_below(&random, 7) - 3) : random_below(&random, 60) - 30;
            size[a] = periodic[a] ? 8 * (1 + random_below(&random, dimension == 2 ? 9 : 4))
                                  : 3 + random_below(&random, dimension == 2 ? 70 : 28);
        }
        PoissonRandom kind = {.unknown_share = random_between(&random, 0.1, 1.0),
                              .closed_share = random_between(&random, 0.0, 0.6) * random_below(&random, 2),
                              .is_cut = random_below(&random, 2),
                              .is_sealed = random_below(&random, 2),
                              .has_mass = random_below(&random, 4) == 0};
        PoissonCase c;
        poisson_case_create(&c, dimension, low, size, periodic);
        poisson_case_fill(&c, &kind, &random);
        BwPoissonSolver *solver;
        assert_int_equal(bw_poisson_solver_create(&solver, NULL, NULL, NULL), BW_OK);
        BwPoissonOptions options = {
            .method = BW_PRESSURE_MULTIGRID, .tolerance = 1e-6, .iterations_max = 200, .keeps_small = true};
        BwPoissonReport report;
        assert_int_equal(bw_poisson_solve(solver, &c.system, &options, &report, NULL), BW_OK);
        if (report.reason != BW_STOP_CONVERGED)
            fail_msg("seed %d: reason %d after %d iterations, residual %g", (int)seed, (int)report.reason,
                     report.iterations, report.residual);
        worst = report.iterations > worst ? report.iterations : worst;
        bw_poisson_solver_destroy(solver);
        poisson_case_destroy(&c);
    }
    gate("multigrid iterations on random mazes, worst of 150", worst, GATE_BELOW, 60);
}

// Boxes so thinly filled that nothing in them is large: drops that air holds, sealed ones, some with mass,
// across periods. No iteration is needed then, and x is what conjugate gradients find in double.
static void small_components_need_no_iterations(void **state)
{
    (void)state;
    double worst = 0.0, residual = 0.0;
    for (uint64_t seed = 1; seed <= 24; seed++) {
        Random random = random_seeded(13 * seed);
        int dimension = 2 + (int)(seed % 2);
        bool periodic[3] = {seed % 3 == 0, seed % 4 == 0, seed % 5 == 0};
        PoissonRandom kind = {.unknown_share = random_between(&random, 0.05, dimension == 2 ? 0.4 : 0.2),
                              .closed_share = random_between(&random, 0.0, 0.3),
                              .is_cut = random_below(&random, 2),
                              .is_sealed = random_below(&random, 2),
                              .has_mass = random_below(&random, 3) == 0};
        PoissonCase c;
        poisson_case_create(&c, dimension, (int32_t[]){-8, 8, 0}, (int32_t[]){24, 16, 24}, periodic);
        poisson_case_fill(&c, &kind, &random);
        int count = poisson_case_count(&c);
        double *answer = malloc((size_t)count * sizeof *answer);
        BwPoissonSolver *solver;
        assert_int_equal(bw_poisson_solver_create(&solver, NULL, NULL, NULL), BW_OK);
        BwPoissonOptions options = {.method = BW_PRESSURE_CG, .tolerance = 1e-12, .iterations_max = 2000};
        BwPoissonReport slow, fast;
        assert_int_equal(bw_poisson_solve(solver, &c.system, &options, &slow, NULL), BW_OK);
        for (int n = 0; n < count; n++) {
            int cell[3];
            poisson_case_cell(&c, n, cell);
            PoissonPlace place = poisson_case_place(&c, cell);
            answer[n] = bw_wide_field_tile(&c.x, place.slot)[place.index];
        }
        options.method = BW_PRESSURE_MULTIGRID;
        assert_int_equal(bw_poisson_solve(solver, &c.system, &options, &fast, NULL), BW_OK);
        assert_int_equal(fast.reason, BW_STOP_CONVERGED);
        assert_int_equal(fast.iterations, 0);
        assert_int_equal(fast.regions, slow.regions);
        assert_int_equal(fast.unknowns, slow.unknowns);
        worst = fmax(worst, poisson_case_error(&c, answer));
        residual = fmax(residual, fast.residual);
        bw_poisson_solver_destroy(solver);
        free(answer);
        poisson_case_destroy(&c);
    }
    gate("small components, difference to conjugate gradients", worst, GATE_BELOW, 1e-9);
    gate("small components, residual", residual, GATE_BELOW, 1e-13);
}

static void relaxation_agrees_with_direct_solves(void **state)
{
    (void)state;
    gate("relaxation error against direct solves", worst_error(BW_PRESSURE_RELAXATION, 1e-9, false),
         GATE_BELOW, 1e-6);
}

static void relaxation_takes_the_sweeps_it_is_told(void **state)
{
    (void)state;
    PoissonCase c;
    Random random = random_seeded(5);
    poisson_case_create(&c, 2, (int32_t[]){0, 0, 0}, (int32_t[]){16, 16, 1}, NULL);
    poisson_case_fill(&c, &domains[2].random, &random);
    BwPoissonSolver *solver;
    assert_int_equal(bw_poisson_solver_create(&solver, NULL, NULL, NULL), BW_OK);
    BwPoissonOptions options = {.method = BW_PRESSURE_RELAXATION,
                                .tolerance = 1e-9,
                                .iterations_max = 5,
                                .relaxation = 1.0f,
                                .sweeps = 20};
    BwPoissonReport report;
    assert_int_equal(bw_poisson_solve(solver, &c.system, &options, &report, NULL), BW_OK);
    assert_int_equal(report.iterations, 20);
    assert_int_equal(report.reason, BW_STOP_ITERATIONS);
    bw_poisson_solver_destroy(solver);
    poisson_case_destroy(&c);
}

// The absolute bound holds as well as the relative tolerance, for every method (the eps of Foster and
// Metaxas 1996).
static void bound_holds_in_every_cell(void **state)
{
    (void)state;
    for (int method = BW_PRESSURE_MULTIGRID; method <= BW_PRESSURE_RELAXATION; method++) {
        PoissonCase c;
        Random random = random_seeded(3);
        poisson_case_create(&c, 3, (int32_t[]){1, 2, 3}, (int32_t[]){14, 13, 12}, NULL);
        poisson_case_fill(&c, &domains[1].random, &random);
        BwPoissonSolver *solver;
        assert_int_equal(bw_poisson_solver_create(&solver, NULL, NULL, NULL), BW_OK);
        BwPoissonOptions options = {.method = (BwPressureMethod)method,
                                    .tolerance = 1.0,
                                    .bound = 1e-7,
                                    .iterations_max = 500,
                                    .relaxation = 1.7f};
        BwPoissonReport report;
        assert_int_equal(bw_poisson_solve(solver, &c.system, &options, &report, NULL), BW_OK);
        assert_int_equal(report.reason, BW_STOP_CONVERGED);
        assert_true(report.iterations > 0 && report.residual_max <= 1e-7);
        bw_poisson_solver_destroy(solver);
        poisson_case_destroy(&c);
    }
}

static void nothing_to_solve_is_said(void **state)
{
    (void)state;
    PoissonCase c;
    poisson_case_create(&c, 3, (int32_t[]){0, 0, 0}, (int32_t[]){8, 8, 8}, NULL);
    BwPoissonSolver *solver;
    assert_int_equal(bw_poisson_solver_create(&solver, NULL, NULL, NULL), BW_OK);
    BwPoissonOptions options = {.method = BW_PRESSURE_CG, .tolerance = 1e-6, .iterations_max = 10};
    BwPoissonReport report;
    bw_wide_field_tile(&c.x, c.grid->order[0])[3] = 7.0;
    assert_int_equal(bw_poisson_solve(solver, &c.system, &options, &report, NULL), BW_OK);
    assert_int_equal(report.reason, BW_STOP_EMPTY);
    assert_true(bw_wide_field_tile(&c.x, c.grid->order[0])[3] == 0.0);
    bw_poisson_solver_destroy(solver);
    poisson_case_destroy(&c);
}

static void stopping_short_is_a_reason(void **state)
{
    (void)state;
    PoissonCase c;
    Random random = random_seeded(5);
    poisson_case_create(&c, 3, (int32_t[]){0, 0, 0}, (int32_t[]){8, 8, 8}, NULL);
    poisson_case_fill(&c, &domains[2].random, &random);
    BwPoissonSolver *solver;
    assert_int_equal(bw_poisson_solver_create(&solver, NULL, NULL, NULL), BW_OK);
    BwPoissonOptions options = {.method = BW_PRESSURE_CG, .tolerance = 1e-6, .iterations_max = 3};
    BwPoissonReport report;
    assert_int_equal(bw_poisson_solve(solver, &c.system, &options, &report, NULL), BW_OK);
    assert_int_equal(report.reason, BW_STOP_ITERATIONS);
    assert_int_equal(report.iterations, 3);
    assert_true(report.residual > 1e-6 && report.residual_max > 0.0);
    bw_poisson_solver_destroy(solver);
    poisson_case_destroy(&c);
}

// Fails the n-th allocation.
static void *failing_resize(void *user, void *block, size_t old_size, size_t new_size, size_t align)
{
    (void)old_size;
    int *left = user;
    if (new_size == 0) {
        free(block);
        return NULL;
    }
    return (*left)-- > 0 ? aligned_alloc(align, (new_size + align - 1) / align * align) : NULL;
}

static void short_memory_is_an_error(void **state)
{
    (void)state;
    PoissonCase c;
    Random random = random_seeded(5);
    poisson_case_create(&c, 3, (int32_t[]){0, 0, 0}, (int32_t[]){24, 24, 24}, NULL);
    poisson_case_fill(&c, &domains[2].random, &random);
    for (int method = BW_PRESSURE_MULTIGRID; method <= BW_PRESSURE_RELAXATION; method++) {
        BwResult result = BW_ERR_MEMORY;
        for (int allowed = 0; result != BW_OK; allowed++) {
            int left = allowed;
            BwAllocator allocator = {failing_resize, &left};
            BwPoissonSolver *solver = NULL;
            result = bw_poisson_solver_create(&solver, &allocator, NULL, NULL);
            BwPoissonOptions options = {.method = (BwPressureMethod)method,
                                        .tolerance = 1e-6,
                                        .iterations_max = 50,
                                        .relaxation = 1.7f};
            BwPoissonReport report;
            if (result == BW_OK)
                result = bw_poisson_solve(solver, &c.system, &options, &report, NULL);
            assert_true(result == BW_OK || result == BW_ERR_MEMORY);
            assert_true(allowed < 100);
            bw_poisson_solver_destroy(solver);
        }
    }
    poisson_case_destroy(&c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(cg_agrees_with_direct_solves),
        cmocka_unit_test(miccg_agrees_with_direct_solves),
        cmocka_unit_test(multigrid_agrees_with_direct_solves),
        cmocka_unit_test(multigrid_converges_on_any_domain),
        cmocka_unit_test(small_components_need_no_iterations),
        cmocka_unit_test(relaxation_agrees_with_direct_solves),
        cmocka_unit_test(relaxation_takes_the_sweeps_it_is_told),
        cmocka_unit_test(bound_holds_in_every_cell),
        cmocka_unit_test(nothing_to_solve_is_said),
        cmocka_unit_test(stopping_short_is_a_reason),
        cmocka_unit_test(short_memory_is_an_error),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
