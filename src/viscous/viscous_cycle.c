// A V-cycle. Its smoother is Chebyshev's iteration on the matrix over its diagonal (Adams, Brezina, Hu and
// Tuminaro 2003), which reads nothing that it writes, so that it is symmetric and the same on any number of
// threads.
#include "viscous/viscous_cycle.h"

#include "viscous/strain_rows.h"

#include <string.h>

// Sweeps before and after the coarse correction, and on a last level that is too large for a direct solve.
enum { SWEEPS = 3, LAST_SWEEPS = 32 };

// Eigenvalues of the matrix over its diagonal: a line of shear joins four faces, so that none exceeds 4. The
// smoother is for the upper ones.
static const float largest = 4.0f, smallest_share = 1.0f / 8.0f, smallest_share_last = 1.0f / 400.0f;

typedef struct Sweep {
    const BwViscousLevel *level;
    float keep, gain; // of the step before, and of the residual over the diagonal
} Sweep;

static void strain_range(int64_t begin, int64_t end, int worker, void *context)
{
    (void)worker;
    const BwViscousLevel *level = ((const Sweep *)context)->level;
    for (int32_t t = (int32_t)begin + 1; t <= end; t++)
        float_strain_tile(level, level->x.u, level->force, t);
}

static int64_t first_of_row(const BwViscousLevel *level, int32_t t, int j, int k)
{
    return (int64_t)t * level->cells + 8 * j + 64 * k;
}

// b - A x of a row; not masked.
static float_Row residual_of_row(const BwViscousLevel *level, int a, int32_t t, int j, int k)
{
    return float_load_row(level->b.u[a] + first_of_row(level, t, j, k)) -
           float_product_row(level, level->x.u[a], level->force[a], a, t, j, k);
}

// step = keep step + gain (b - A x) / diagonal; x += step.
static void step_row(const Sweep *sweep, int a, int32_t t, int j, int k)
{
    const BwViscousLevel *level = sweep->level;
    int64_t first = first_of_row(level, t, j, k);
    float_Row step =
        sweep->keep * float_load_row(level->step.u[a] + first) +
        sweep->gain * float_load_row(level->inverse[a] + first) * residual_of_row(level, a, t, j, k);
    float_store_row(level->step.u[a] + first, step);
    float_store_row(level->x.u[a] + first, float_load_row(level->x.u[a] + first) + step);
}

// The first step from x = 0, where the residual is b.
static void first_row(const Sweep *sweep, int a, int32_t t, int j, int k)
{
    const BwViscousLevel *level = sweep->level;
    int64_t first = first_of_row(level, t, j, k);
    float_Row step =
        sweep->gain * float_load_row(level->inverse[a] + first) * float_load_row(level->b.u[a] + first);
    float_store_row(level->step.u[a] + first, step);
    float_store_row(level->x.u[a] + first, step);
}

static void residual_row(const Sweep *sweep, int a, int32_t t, int j, int k)
{
    const BwViscousLevel *level = sweep->level;
    int64_t first = first_of_row(level, t, j, k);
    float_Row residual = residual_of_row(level, a, t, j, k),
              inverse = float_load_row(level->inverse[a] + first);
    float_store_row(level->residual.u[a] + first, float_keep(residual, inverse > 0.0f));
}

typedef void RowFn(const Sweep *sweep, int a, int32_t t, int j, int k);

static inline void run_rows(int64_t begin, int64_t end, const Sweep *sweep, RowFn *fn)
{
    for (int32_t t = (int32_t)begin + 1; t <= end; t++) {
        const BwTileBox *box = &sweep->level->box[t];
        for (int a = 0; a < sweep->level->dimension; a++)
            for (int k = box->low[2]; k < box->high[2]; k++)
                for (int j = box->low[1]; j < box->high[1]; j++)
                    fn(sweep, a, t, j, k);
    }
}

static void step_range(int64_t begin, int64_t end, int worker, void *context)
{
    (void)worker;
    run_rows(begin, end, context, step_row);
}

static void first_range(int64_t begin, int64_t end, int worker, void *context)
{
    (void)worker;
    run_rows(begin, end, context, first_row);
}

static void residual_range(int64_t begin, int64_t end, int worker, void *context)
{
    (void)worker;
    run_rows(begin, end, context, residual_row);
}

static void run(Sweep *sweep, BwRangeFn *fn)
{
    bw_parallel_for(sweep->level->pool, sweep->level->count, BW_VISCOUS_GRAIN, fn, sweep);
}

// So many steps for the eigenvalues from a share of the largest on.
static void smooth(const BwViscousLevel *level, int sweeps, float share, bool is_from_zero)
{
    float middle = 0.5f * largest * (1.0f + share), radius = 0.5f * largest * (1.0f - share),
          sigma = middle / radius, rho = 1.0f / sigma;
    Sweep sweep = {level, 0.0f, 1.0f / middle};
    for (int n = 0; n < sweeps; n++) {
        if (n > 0) {
            float next = 1.0f / (2.0f * sigma - rho);
            sweep.keep = next * rho;
            sweep.gain = 2.0f * next / radius;
            rho = next;
        }
        if (n == 0 && is_from_zero) {
            run(&sweep, first_range);
            continue;
        }
        run(&sweep, strain_range);
        run(&sweep, step_range);
    }
}

static void visit(const BwViscousPyramid *pyramid, int depth)
{
    const BwViscousLevel *level = &pyramid->level[depth];
    if (depth + 1 == pyramid->level_count) {
        if (pyramid->direct_count > 0)
            bw_viscous_direct_solve(pyramid);
        else
            smooth(level, LAST_SWEEPS, smallest_share_last, true);
        return;
    }
    Sweep sweep = {.level = level};
    smooth(level, SWEEPS, smallest_share, true);
    run(&sweep, strain_range);
    run(&sweep, residual_range);
    bw_viscous_restrict(level, level + 1);
    visit(pyramid, depth + 1);
    bw_viscous_prolong(level, level + 1);
    smooth(level, SWEEPS, smallest_share, false);
}

void bw_viscous_cycle(const BwViscousPyramid *pyramid)
{
    visit(pyramid, 0);
}

BwResult bw_viscous_pyramid_build(BwViscousPyramid *pyramid, BwError *err)
{
    pyramid->level_count = 1;
    bool is_coarser = true;
    while (is_coarser && pyramid->level_count < BW_VISCOUS_LEVELS_MAX &&
           pyramid->level[pyramid->level_count - 1].unknowns > BW_VISCOUS_DIRECT_MAX) {
        BwViscousLevel *fine = &pyramid->level[pyramid->level_count - 1];
        BW_TRY(bw_viscous_coarsen(fine, fine + 1, &is_coarser, err));
        pyramid->level_count += is_coarser;
    }
    return bw_viscous_direct_build(pyramid, err);
}
