// The solver behind one call: finds tiles and regions, hands them to the method, measures what came out.
#include "poisson/poisson.h"

#include "poisson/poisson_methods.h"
#include "poisson/small_components.h"
#include <math.h>

struct BwPoissonSolver {
    BwPool *pool;
    BwWorkspace workspace;
};

BwResult bw_poisson_solver_create(BwPoissonSolver **out, const BwAllocator *allocator, BwPool *pool,
                                  BwError *err)
{
    BwAllocator own = bw_allocator_or_default(allocator != NULL ? *allocator : (BwAllocator){0});
    BwPoissonSolver *solver = bw_alloc_zeroed(&own, sizeof *solver, BW_ALIGN);
    *out = solver;
    if (solver == NULL)
        return bw_fail_memory(err);
    solver->pool = pool;
    solver->workspace.allocator = own;
    return BW_OK;
}

void bw_poisson_solver_destroy(BwPoissonSolver *solver)
{
    if (solver == NULL)
        return;
    BwAllocator allocator = solver->workspace.allocator;
    bw_workspace_free(&solver->workspace);
    bw_free(&allocator, solver, sizeof *solver, BW_ALIGN);
}

static BwResult run_method(BwPoissonRun *run, BwError *err)
{
    switch (run->options->method) {
    case BW_PRESSURE_CG:
        return bw_poisson_cg(run, err);
    case BW_PRESSURE_MICCG:
        return bw_poisson_miccg(run, err);
    case BW_PRESSURE_RELAXATION:
        return bw_poisson_relax(run);
    case BW_PRESSURE_MULTIGRID:
        return bw_poisson_multigrid(run, err);
    }
    return bw_fail(err, BW_ERR_DEF, "pressure method is %d; known: multigrid, miccg, cg, relaxation",
                   (int)run->options->method);
}

// The answer is known to be zero: no unknowns, or nothing on the right side.
static void answer_zero(const BwPoissonTiles *tiles, BwStop reason, BwPoissonReport *report)
{
    bw_poisson_clear_x(tiles, false);
    report->reason = reason;
}

static double imbalance_of(const BwPoissonTiles *tiles)
{
    double most = 0.0;
    for (int32_t region = 0; region < tiles->region_count; region++)
        most = fmax(most, fabs(tiles->shift[region]));
    return most;
}

static BwResult solve_tiles(BwPoissonTiles *tiles, const BwPoissonOptions *options, BwPoissonReport *report,
                            BwError *err)
{
    BW_TRY(bw_poisson_find_regions(tiles, err));
    report->unknowns = tiles->unknowns;
    report->regions = tiles->region_count;
    report->imbalance = imbalance_of(tiles);
    double right_norm = sqrt(bw_poisson_right_norms(tiles).square);
    if (right_norm == 0.0) {
        answer_zero(tiles, BW_STOP_CONVERGED, report);
        return BW_OK;
    }
    bw_poisson_clear_x(tiles, !options->from_zero);
    report->norm = fmax(right_norm, options->norm_min);
    BwPoissonNorms small = {0}, norms = {0};
    if (options->method == BW_PRESSURE_MULTIGRID && !options->keeps_small)
        BW_TRY(bw_poisson_solve_small(tiles, &small, err));
    BwPoissonRun run = {.tiles = tiles, .options = options, .right_norm = report->norm};
    if (tiles->count > 0) {
        BW_TRY(run_method(&run, err));
        BW_TRY(bw_poisson_center_x(tiles, err));
        norms = run.has_norms ? run.norms : bw_poisson_residual_norms(tiles);
    }
    report->iterations = run.iterations;
    report->residual = sqrt(norms.square + small.square) / report->norm;
    report->residual_max = fmax(norms.max, small.max);
    report->reason = run.reason;
    return BW_OK;
}

BwResult bw_poisson_solve(BwPoissonSolver *solver, const BwPoisson *system, const BwPoissonOptions *options,
                          BwPoissonReport *report, BwError *err)
{
    BW_ASSERT(system->grid->dimension == 2 || system->face[2] != NULL);
    *report = (BwPoissonReport){0};
    bw_workspace_reset(&solver->workspace);
    BwPoissonTiles tiles;
    BW_TRY(bw_poisson_tiles_build(&tiles, system, solver->pool, &solver->workspace, err));
    if (tiles.count == 0)
        answer_zero(&tiles, BW_STOP_EMPTY, report);
    else
        BW_TRY(solve_tiles(&tiles, options, report, err));
    report->bytes = (int64_t)solver->workspace.used;
    return BW_OK;
}
