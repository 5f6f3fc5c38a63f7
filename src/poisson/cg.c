// Preconditioned conjugate gradients in double (Bridson and Mueller-Fischer 2007, figure 4.1), with the
// diagonal or MIC(0).
//
// The residual of the recurrence drifts from the true one, so when it claims success the true residual is
// computed, and the iteration starts again from it if that does not agree. Two starts in a row without gain
// are a stall.
#include "poisson/poisson_methods.h"

#include <math.h>

// A restart that does not bring the true residual below this share of the one before is the end.
static const double gain_min = 0.5;

typedef struct Gradients {
    BwPoissonRun *run;
    const BwPoissonTiles *tiles;
    const BwIncomplete *factor; // NULL: the diagonal
    double *residual, *auxiliary, *search, *product;
    double *diagonal; // its reciprocal, where there is no factor
    double step;      // alpha or beta
} Gradients;

static BwResult gradients_create(Gradients *cg, BwPoissonRun *run, const BwIncomplete *factor, BwError *err)
{
    *cg = (Gradients){.run = run, .tiles = run->tiles, .factor = factor};
    size_t bytes = ((size_t)cg->tiles->count + 1) * (size_t)cg->tiles->cells * sizeof(double);
    double **vectors[] = {&cg->residual, &cg->auxiliary, &cg->search, &cg->product, &cg->diagonal};
    for (int n = 0; n < (factor == NULL ? 5 : 4); n++) {
        *vectors[n] = bw_workspace_alloc_zeroed(cg->tiles->workspace, bytes);
        if (*vectors[n] == NULL)
            return bw_fail_memory(err);
    }
    return BW_OK;
}

static double run_sum(const Gradients *cg, BwReduceFn *fn)
{
    return bw_parallel_sum(cg->tiles->pool, cg->tiles->count, BW_POISSON_GRAIN, fn, (void *)cg);
}

static void run_for(const Gradients *cg, BwRangeFn *fn)
{
    bw_parallel_for(cg->tiles->pool, cg->tiles->count, BW_POISSON_GRAIN, fn, (void *)cg);
}

// The cells of tiles begin to end - 1, counted without tile 0, as a range of a vector.
static int64_t first_cell(const Gradients *cg, int64_t tile)
{
    return (tile + 1) * cg->tiles->cells;
}

static void invert_diagonal(int64_t begin, int64_t end, int worker, void *context)
{
    (void)worker;
    const Gradients *cg = context;
    for (int64_t tile = begin; tile < end; tile++) {
        double *d = cg->diagonal + first_cell(cg, tile);
        BwPoissonStar star = bw_poisson_star(cg->tiles, (int32_t)tile + 1);
        bw_poisson_diagonal(&star, d);
        for (int n = 0; n < cg->tiles->cells; n++)
            d[n] = d[n] > 0.0 ? 1.0 / d[n] : 0.0;
    }
}

// r = b - A x; gives its square.
static double start_residual(int64_t begin, int64_t end, int worker, void *context)
{
    (void)worker;
    const Gradients *cg = context;
    for (int64_t tile = begin; tile < end; tile++)
        bw_poisson_residual(cg->tiles, (int32_t)tile + 1, cg->residual + first_cell(cg, tile));
    double sum = 0.0;
    for (int64_t n = first_cell(cg, begin); n < first_cell(cg, end); n++)
        sum += cg->residual[n] * cg->residual[n];
    return sum;
}

// q = A s; gives s . q.
static double apply_operator(int64_t begin, int64_t end, int worker, void *context)
{
    (void)worker;
    const Gradients *cg = context;
    for (int64_t tile = begin; tile < end; tile++) {
        BwPoissonStar star = bw_poisson_star_of(cg->tiles, (int32_t)tile + 1, cg->search);
        bw_poisson_apply(&star, cg->product + first_cell(cg, tile));
    }
    double sum = 0.0;
    for (int64_t n = first_cell(cg, begin); n < first_cell(cg, end); n++)
        sum += cg->search[n] * cg->product[n];
    return sum;
}

// x += alpha s, r -= alpha q; gives the square of r.
static double descend(int64_t begin, int64_t end, int worker, void *context)
{
    (void)worker;
    const Gradients *cg = context;
    double sum = 0.0;
    for (int64_t tile = begin; tile < end; tile++) {
        double *restrict x = bw_wide_field_tile(cg->tiles->system->x, cg->tiles->tile[tile + 1].slot);
        int64_t first = first_cell(cg, tile);
        for (int n = 0; n < cg->tiles->cells; n++) {
            x[n] += cg->step * cg->search[first + n];
            cg->residual[first + n] -= cg->step * cg->product[first + n];
            sum += cg->residual[first + n] * cg->residual[first + n];
        }
    }
    return sum;
}

static double largest_residual(int64_t begin, int64_t end, int worker, void *context)
{
    (void)worker;
    const Gradients *cg = context;
    double max = 0.0;
    for (int64_t n = first_cell(cg, begin); n < first_cell(cg, end); n++)
        max = fabs(cg->residual[n]) > max ? fabs(cg->residual[n]) : max;
    return max;
}

static void divide_by_diagonal(int64_t begin, int64_t end, int worker, void *context)
{
    (void)worker;
    const Gradients *cg = context;
    for (int64_t n = first_cell(cg, begin); n < first_cell(cg, end); n++)
        cg->auxiliary[n] = cg->residual[n] * cg->diagonal[n];
}

static double product_with_residual(int64_t begin, int64_t end, int worker, void *context)
{
    (void)worker;
    const Gradients *cg = context;
    double sum = 0.0;
    for (int64_t n = first_cell(cg, begin); n < first_cell(cg, end); n++)
        sum += cg->auxiliary[n] * cg->residual[n];
    return sum;
}

// s = z + beta s
static void turn_search(int64_t begin, int64_t end, int worker, void *context)
{
    (void)worker;
    const Gradients *cg = context;
    for (int64_t n = first_cell(cg, begin); n < first_cell(cg, end); n++)
        cg->search[n] = cg->auxiliary[n] + cg->step * cg->search[n];
}

// z = M r; gives z . r.
static double precondition(Gradients *cg)
{
    if (cg->factor != NULL)
        bw_incomplete_apply(cg->factor, cg->residual, cg->auxiliary);
    else
        run_for(cg, divide_by_diagonal);
    return run_sum(cg, product_with_residual);
}

static bool is_met(const Gradients *cg, double square)
{
    BwPoissonNorms norms = {.square = square};
    if (!bw_poisson_is_met(cg->run->options, norms, cg->run->right_norm) || cg->run->options->bound <= 0.0)
        return bw_poisson_is_met(cg->run->options, norms, cg->run->right_norm);
    norms.max =
        bw_parallel_max(cg->tiles->pool, cg->tiles->count, BW_POISSON_GRAIN, largest_residual, (void *)cg);
    return bw_poisson_is_met(cg->run->options, norms, cg->run->right_norm);
}

// Iterates from the residual at hand until it meets the options by its own account; gives false when the
// iterations are used up or the matrix shows no positive curvature any more.
static bool iterate(Gradients *cg)
{
    BwPoissonRun *run = cg->run;
    double sigma = precondition(cg);
    cg->step = 0.0;
    run_for(cg, turn_search);
    while (run->iterations < run->options->iterations_max) {
        double curvature = run_sum(cg, apply_operator);
        if (!(curvature > 0.0)) {
            run->reason = BW_STOP_STALLED;
            return false;
        }
        cg->step = sigma / curvature;
        double square = run_sum(cg, descend);
        run->iterations++;
        if (is_met(cg, square))
            return true;
        double next = precondition(cg);
        cg->step = next / sigma;
        sigma = next;
        run_for(cg, turn_search);
    }
    run->reason = BW_STOP_ITERATIONS;
    return false;
}

static void solve(Gradients *cg)
{
    if (cg->factor == NULL)
        run_for(cg, invert_diagonal);
    for (double before = INFINITY;;) {
        double square = run_sum(cg, start_residual);
        if (is_met(cg, square)) {
            cg->run->reason = BW_STOP_CONVERGED;
            return;
        }
        if (!(sqrt(square) < gain_min * before)) {
            cg->run->reason = BW_STOP_STALLED;
            return;
        }
        before = sqrt(square);
        if (!iterate(cg))
            return;
    }
}

BwResult bw_poisson_cg(BwPoissonRun *run, BwError *err)
{
    Gradients cg;
    BW_TRY(gradients_create(&cg, run, NULL, err));
    solve(&cg);
    return BW_OK;
}

BwResult bw_poisson_miccg(BwPoissonRun *run, BwError *err)
{
    Gradients cg;
    BwIncomplete factor;
    BW_TRY(bw_incomplete_build(&factor, run->tiles, err));
    BW_TRY(gradients_create(&cg, run, &factor, err));
    solve(&cg);
    return BW_OK;
}
