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

// Adds up over the unknowns of a tile what a function gives for the cells of one row of a component.
typedef double_Row RowFn(Solve *solve, int a, int64_t first, double_Row product);

static inline double sum_rows(Solve *solve, int64_t begin, int64_t end, bool has_product, RowFn *fn)
{
    double_Row sum = {0.0}, product = {0.0};
    for (int32_t t = (int32_t)begin + 1; t <= end; t++) {
        const BwTileBox *box = &solve->level->box[t];
        for (int a = 0; a < solve->level->dimension; a++)
            for (int k = box->low[2]; k < box->high[2]; k++)
                for (int j = box->low[1]; j < box->high[1]; j++) {
                    if (has_product)
                        product =
                            double_product_row(solve->level, solve->p.u[a], solve->force[a], a, t, j, k);
                    sum += fn(solve, a, (int64_t)t * solve->level->cells + 8 * j + 64 * k, product);
                }
    }
    double all = 0.0;
    for (int i = 0; i < BW_TILE; i++)
        all += sum[i];
    return all;
}

static BwRowBits are_unknown(const Solve *solve, int a, int64_t first)
{
    return float_load_row(solve->level->inverse[a] + first) > 0.0f;
}

// r = what the lines and walls do to the velocity; gives its square.
static double_Row right_row(Solve *solve, int a, int64_t first, double_Row product)
{
    double_Row inertia = double_load_weights(solve->level->mass[a] + first) *
                         double_load_row(solve->p.u[a] + first),
               right = double_load_weights(solve->assembly.pull.speed.u[a] + first) - (product - inertia);
    right = double_keep(right, are_unknown(solve, a, first));
    double_store_row(solve->r.u[a] + first, right);
    return right * right;
}

static double right_range(int64_t begin, int64_t end, int worker, void *context)
{
    (void)worker;
    return sum_rows(context, begin, end, true, right_row);
}

static double_Row energy_row(Solve *solve, int a, int64_t first, double_Row product)
{
    (void)product;
    double_Row u = double_load_row(solve->p.u[a] + first);
    return double_load_weights(solve->level->mass[a] + first) * u * u;
}

static double energy_range(int64_t begin, int64_t end, int worker, void *context)
{
    (void)worker;
    return sum_rows(context, begin, end, false, energy_row);
}

// z = M r, in floats, r scaled to one; gives r . z.
static double_Row narrow_row(Solve *solve, int a, int64_t first, double_Row product)
{
    (void)product;
    double_Row r = double_load_row(solve->r.u[a] + first) * solve->scale;
    float_store_row(solve->level->b.u[a] + first, __builtin_convertvector(r, float_Row));
    return (double_Row){0.0};
}

static double narrow_range(int64_t begin, int64_t end, int worker, void *context)
{
    (void)worker;
    return sum_rows(context, begin, end, false, narrow_row);
}

static double_Row dot_row(Solve *solve, int a, int64_t first, double_Row product)
{
    (void)product;
    return double_load_row(solve->r.u[a] + first) * double_load_weights(solve->level->x.u[a] + first);
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
static double_Row turn_row(Solve *solve, int a, int64_t first, double_Row product)
{
    (void)product;
    double *p = solve->p.u[a] + first;
    double_Row z = double_load_weights(solve->level->x.u[a] + first) * (1.0 / solve->scale);
    double_store_row(p, z + solve->beta * double_load_row(p));
    return (double_Row){0.0};
}

static double turn_range(int64_t begin, int64_t end, int worker, void *context)
{
    (void)worker;
    return sum_rows(context, begin, end, false, turn_row);
}

// q = A p; gives p . q.
static double_Row apply_row(Solve *solve, int a, int64_t first, double_Row product)
{
    double_Row q = double_keep(product, are_unknown(solve, a, first));
    double_store_row(solve->q.u[a] + first, q);
    return double_load_row(solve->p.u[a] + first) * q;
}

static double apply_range(int64_t begin, int64_t end, int worker, void *context)
{
    (void)worker;
    return sum_rows(context, begin, end, true, apply_row);
}

// x += alpha p, r -= alpha q; gives r . r.
static double_Row descend_row(Solve *solve, int a, int64_t first, double_Row product)
{
    (void)product;
    double *x = solve->x.u[a] + first, *r = solve->r.u[a] + first;
    double_store_row(x, double_load_row(x) + solve->alpha * double_load_row(solve->p.u[a] + first));
    double_Row left = double_load_row(r) - solve->alpha * double_load_row(solve->q.u[a] + first);
    double_store_row(r, left);
    return left * left;
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
static double_Row dissipate_row(Solve *solve, int a, int64_t first, double_Row product)
{
    (void)product;
    const BwWallPull *pull = &solve->assembly.pull;
    double_Row x = double_load_row(solve->x.u[a] + first), u = double_load_row(solve->p.u[a] + first) + x,
               lost = -double_load_weights(solve->level->mass[a] + first) * u * x -
                      (double_load_weights(pull->speed.u[a] + first) * u -
                       double_load_weights(pull->square.u[a] + first));
    return double_keep(lost, are_unknown(solve, a, first));
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
