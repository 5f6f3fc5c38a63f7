// The viscous solve: conjugate gradients for the change of the velocity, from zero, so that the tolerance
// counts in what happens in the step. Unknown, residual and direction are double, the multigrid cycle is
// float.
#include "viscous/viscosity.h"

#include "grid/bits.h"
#include "viscous/strain_rows.h"
#include "viscous/viscous_assemble.h"
#include "viscous/viscous_cycle.h"

#include <math.h>

// An error of this share of the velocity, by energy, is below the rounding of floats.
static const double rounding = 1e-7;

BwResult bw_viscosity_create(BwViscosity *viscosity, BwGrid *grid, BwError *err)
{
    *viscosity = (BwViscosity){.grid = grid, .workspace = {.allocator = grid->allocator}};
    BwResult result = BW_OK;
    for (int a = 0; a < grid->dimension && result == BW_OK; a++) {
        result = bw_mask_create(&viscosity->candidates[a], grid, err);
        if (result == BW_OK)
            result = bw_boundary_masks_create(&viscosity->masks[a], grid, err);
    }
    if (result != BW_OK)
        bw_viscosity_destroy(viscosity);
    return result;
}

void bw_viscosity_destroy(BwViscosity *viscosity)
{
    for (int a = 0; a < 3; a++) {
        bw_mask_destroy(&viscosity->candidates[a]);
        bw_boundary_masks_destroy(&viscosity->masks[a]);
    }
    bw_workspace_free(&viscosity->workspace);
}

typedef struct Solve {
    BwViscousAssembly assembly;
    BwViscousPyramid pyramid;
    BwViscousLevel *level; // the finest
    BwWideVector x, r, p, q;
    double *force[3][3];
    double alpha, beta, scale;
} Solve;

static BwResult reserve(const BwViscousLevel *level, double **array, BwError *err)
{
    size_t bytes = ((size_t)level->count + 1) * (size_t)level->cells * sizeof(double);
    *array = bw_workspace_alloc_zeroed(level->workspace, bytes);
    return *array != NULL ? BW_OK : bw_fail_memory(err);
}

static BwResult reserve_vectors(Solve *solve, BwError *err)
{
    for (int a = 0; a < solve->level->dimension; a++) {
        BwWideVector *vectors[] = {&solve->x, &solve->r, &solve->p, &solve->q};
        for (int n = 0; n < 4; n++)
            BW_TRY(reserve(solve->level, &vectors[n]->u[a], err));
        for (int b = 0; b < solve->level->dimension; b++)
            BW_TRY(reserve(solve->level, &solve->force[a][b], err));
    }
    return BW_OK;
}

static double run_sum(Solve *solve, BwReduceFn *fn)
{
    return bw_parallel_sum(solve->level->pool, solve->level->count, BW_VISCOUS_GRAIN, fn, solve);
}

static void run_for(Solve *solve, BwRangeFn *fn)
{
    bw_parallel_for(solve->level->pool, solve->level->count, BW_VISCOUS_GRAIN, fn, solve);
}

// What the velocity was before the step.
static const BwVelocity *velocity_before(const Solve *solve)
{
    const BwViscosityDef *def = solve->assembly.def;
    return def->before != NULL ? def->before : solve->assembly.velocity;
}

// That velocity, as the direction that the right side is found from.
static void load_range(int64_t begin, int64_t end, int worker, void *context)
{
    (void)worker;
    Solve *solve = context;
    int cells = solve->level->cells;
    for (int32_t t = (int32_t)begin + 1; t <= end; t++)
        for (int a = 0; a < solve->level->dimension; a++) {
            const float *u = bw_field_tile(&velocity_before(solve)->u[a], solve->assembly.slot[t]);
            for (int n = 0; n < cells; n++)
                solve->p.u[a][(int64_t)t * cells + n] = (double)u[n];
        }
}

static void strain_range(int64_t begin, int64_t end, int worker, void *context)
{
    (void)worker;
    Solve *solve = context;
    for (int32_t t = (int32_t)begin + 1; t <= end; t++)
        double_strain_tile(solve->level, solve->p.u, solve->force, t);
}

// Adds up over the unknowns of a tile what a function gives for one row of a component.
typedef double RowFn(Solve *solve, int a, int64_t first, const double product[8]);

static double sum_rows(Solve *solve, int64_t begin, int64_t end, bool has_product, RowFn *fn)
{
    double sum = 0.0, product[8] = {0.0};
    for (int32_t t = (int32_t)begin + 1; t <= end; t++) {
        const BwTileBox *box = &solve->level->box[t];
        for (int a = 0; a < solve->level->dimension; a++)
            for (int k = box->low[2]; k < box->high[2]; k++)
                for (int j = box->low[1]; j < box->high[1]; j++) {
                    if (has_product)
                        double_product_row(solve->level, solve->p.u[a], solve->force[a], a, t, j, k, product);
                    sum += fn(solve, a, (int64_t)t * solve->level->cells + 8 * j + 64 * k, product);
                }
    }
    return sum;
}

// r = what the lines and walls do to the velocity; gives its square.
static double right_row(Solve *solve, int a, int64_t first, const double product[8])
{
    const BwViscousLevel *level = solve->level;
    double sum = 0.0;
    for (int64_t n = first; n < first + 8; n++) {
        double inertia = (double)level->mass[a][n] * solve->p.u[a][n];
        double right = (double)solve->assembly.pull.speed.u[a][n] - (product[n - first] - inertia);
        solve->r.u[a][n] = level->inverse[a][n] > 0.0f ? right : 0.0;
        sum += solve->r.u[a][n] * solve->r.u[a][n];
    }
    return sum;
}

static double right_range(int64_t begin, int64_t end, int worker, void *context)
{
    (void)worker;
    return sum_rows(context, begin, end, true, right_row);
}

static double energy_row(Solve *solve, int a, int64_t first, const double product[8])
{
    (void)product;
    double sum = 0.0;
    for (int64_t n = first; n < first + 8; n++)
        sum += (double)solve->level->mass[a][n] * solve->p.u[a][n] * solve->p.u[a][n];
    return sum;
}

static double energy_range(int64_t begin, int64_t end, int worker, void *context)
{
    (void)worker;
    return sum_rows(context, begin, end, false, energy_row);
}

// z = M r, in floats, r scaled to one; gives r . z.
static double narrow_row(Solve *solve, int a, int64_t first, const double product[8])
{
    (void)product;
    for (int64_t n = first; n < first + 8; n++)
        solve->level->b.u[a][n] = (float)(solve->r.u[a][n] * solve->scale);
    return 0.0;
}

static double narrow_range(int64_t begin, int64_t end, int worker, void *context)
{
    (void)worker;
    return sum_rows(context, begin, end, false, narrow_row);
}

static double dot_row(Solve *solve, int a, int64_t first, const double product[8])
{
    (void)product;
    double sum = 0.0;
    for (int64_t n = first; n < first + 8; n++)
        sum += solve->r.u[a][n] * (double)solve->level->x.u[a][n];
    return sum;
}

static double dot_range(int64_t begin, int64_t end, int worker, void *context)
{
    (void)worker;
    return sum_rows(context, begin, end, false, dot_row);
}

static double precondition(Solve *solve, double square)
{
    solve->scale = 1.0 / sqrt(square);
    run_sum(solve, narrow_range);
    bw_viscous_cycle(&solve->pyramid);
    return run_sum(solve, dot_range) / solve->scale;
}

// p = z + beta p.
static double turn_row(Solve *solve, int a, int64_t first, const double product[8])
{
    (void)product;
    for (int64_t n = first; n < first + 8; n++)
        solve->p.u[a][n] = (double)solve->level->x.u[a][n] / solve->scale + solve->beta * solve->p.u[a][n];
    return 0.0;
}

static double turn_range(int64_t begin, int64_t end, int worker, void *context)
{
    (void)worker;
    return sum_rows(context, begin, end, false, turn_row);
}

// q = A p; gives p . q.
static double apply_row(Solve *solve, int a, int64_t first, const double product[8])
{
    double sum = 0.0;
    for (int64_t n = first; n < first + 8; n++) {
        solve->q.u[a][n] = solve->level->inverse[a][n] > 0.0f ? product[n - first] : 0.0;
        sum += solve->p.u[a][n] * solve->q.u[a][n];
    }
    return sum;
}

static double apply_range(int64_t begin, int64_t end, int worker, void *context)
{
    (void)worker;
    return sum_rows(context, begin, end, true, apply_row);
}

// x += alpha p, r -= alpha q; gives r . r.
static double descend_row(Solve *solve, int a, int64_t first, const double product[8])
{
    (void)product;
    double sum = 0.0;
    for (int64_t n = first; n < first + 8; n++) {
        solve->x.u[a][n] += solve->alpha * solve->p.u[a][n];
        solve->r.u[a][n] -= solve->alpha * solve->q.u[a][n];
        sum += solve->r.u[a][n] * solve->r.u[a][n];
    }
    return sum;
}

static double descend_range(int64_t begin, int64_t end, int worker, void *context)
{
    (void)worker;
    return sum_rows(context, begin, end, false, descend_row);
}

// The square of the error by energy is about r . z: it is to be small beside that of the whole change, or
// beside what floats hold of the velocity.
static BwStop iterate(Solve *solve, double square, double energy, BwViscosityReport *report)
{
    const BwViscosityDef *def = solve->assembly.def;
    double enough = def->tolerance * def->tolerance, first_square = square;
    double sigma = precondition(solve, square), first_sigma = sigma;
    solve->beta = 0.0;
    BwStop reason = BW_STOP_ITERATIONS;
    while (report->iterations < def->iterations_max) {
        run_sum(solve, turn_range);
        run_for(solve, strain_range);
        double curvature = run_sum(solve, apply_range);
        if (!(curvature > 0.0) || !(sigma > 0.0))
            return BW_STOP_STALLED;
        solve->alpha = sigma / curvature;
        square = run_sum(solve, descend_range);
        report->iterations++;
        report->residual = sqrt(square / first_square);
        if (!(square > 0.0))
            return BW_STOP_CONVERGED;
        double next = precondition(solve, square);
        bool is_met = square <= enough * first_square && next <= enough * first_sigma;
        if (is_met || next <= rounding * rounding * energy)
            return BW_STOP_CONVERGED;
        solve->beta = next / sigma;
        sigma = next;
    }
    return reason;
}

// m u . x and the surfaces' work: what the liquid loses by friction, in cells.
static double dissipate_row(Solve *solve, int a, int64_t first, const double product[8])
{
    (void)product;
    const BwViscousLevel *level = solve->level;
    const BwWallPull *pull = &solve->assembly.pull;
    double sum = 0.0;
    for (int64_t n = first; n < first + 8; n++) {
        if (!(level->inverse[a][n] > 0.0f))
            continue;
        double u = solve->p.u[a][n] + solve->x.u[a][n];
        sum -= (double)level->mass[a][n] * u * solve->x.u[a][n];
        sum -= (double)pull->speed.u[a][n] * u - (double)pull->square.u[a][n];
    }
    return sum;
}

static double dissipate_range(int64_t begin, int64_t end, int worker, void *context)
{
    (void)worker;
    return sum_rows(context, begin, end, false, dissipate_row);
}

static void take_over_range(int64_t begin, int64_t end, int worker, void *context)
{
    (void)worker;
    const Solve *solve = context;
    const BwDomain *domain = solve->assembly.def->domain;
    int cells = solve->level->cells;
    for (int32_t t = (int32_t)begin + 1; t <= end; t++)
        for (int a = 0; a < solve->level->dimension; a++) {
            int32_t slot = solve->assembly.slot[t];
            const uint64_t *flow = bw_mask_tile(&domain->flow[a], slot);
            float *u = bw_field_tile(&solve->assembly.velocity->u[a], slot);
            const float *before = bw_field_tile(&velocity_before(solve)->u[a], slot);
            const double *x = solve->x.u[a] + (int64_t)t * cells;
            for (int n = 0; n < cells; n++)
                u[n] = bw_bit(flow, n) ? (float)((double)before[n] + x[n]) : u[n];
        }
}

static BwResult solve_assembled(Solve *solve, BwViscosityReport *report, BwError *err)
{
    BW_TRY(reserve_vectors(solve, err));
    run_for(solve, load_range);
    run_for(solve, strain_range);
    double energy = run_sum(solve, energy_range), square = run_sum(solve, right_range);
    report->reason = BW_STOP_CONVERGED;
    if (!(square > 0.0))
        return BW_OK;
    BW_TRY(bw_viscous_pyramid_build(&solve->pyramid, err));
    report->reason = iterate(solve, square, energy, report);
    run_for(solve, load_range);
    double h = (double)solve->assembly.def->domain->grid->cell_size,
           volume = h * h * (solve->level->dimension == 3 ? h : 1.0);
    const BwViscosityDef *def = solve->assembly.def;
    double lost = 1.0 - def->elastic / def->viscosity;
    report->dissipation = lost * run_sum(solve, dissipate_range) * volume / def->dt;
    run_for(solve, take_over_range);
    if (solve->assembly.def->loads != NULL && solve->assembly.def->solid_count > 0)
        bw_viscous_add_loads(&solve->assembly);
    return BW_OK;
}

BwResult bw_viscosity_solve(BwViscosity *viscosity, const BwViscosityDef *def, BwVelocity *velocity,
                            BwViscosityReport *report, BwError *err)
{
    *report = (BwViscosityReport){.reason = BW_STOP_EMPTY};
    bw_workspace_reset(&viscosity->workspace);
    Solve solve = {.assembly = {.viscosity = viscosity, .def = def, .velocity = velocity}};
    solve.level = solve.assembly.level = &solve.pyramid.level[0];
    BW_TRY(bw_viscous_assemble(&solve.assembly, err));
    report->unknowns = solve.level->unknowns;
    return solve.level->unknowns > 0 ? solve_assembled(&solve, report, err) : BW_OK;
}
