// Relaxation: each cell's pressure is changed by beta0 times what makes that cell alone divergence free,
// sweep after sweep (Foster and Metaxas 1996, equations 5 to 9; Stam 2003 takes 20 sweeps and beta0 = 1).
//
// Cells are visited in two colours, like the fields of a chess board. A cell reads only the other colour, so
// workers may share a sweep and the order of tiles does not matter.
#include "poisson/poisson_methods.h"

#include <math.h>

// Sweeps between two looks at the residual, which costs half a sweep.
enum { SWEEPS_BETWEEN_LOOKS = 4 };

typedef struct Relaxation {
    const BwPoissonTiles *tiles;
    double factor; // beta0
    int color;
} Relaxation;

static void relax_tile(const Relaxation *job, int32_t t)
{
    const BwPoissonTiles *tiles = job->tiles;
    double residual[BW_TILE_CELLS_MAX], diagonal[BW_TILE_CELLS_MAX];
    BwPoissonStar star = bw_poisson_star(tiles, t);
    bw_poisson_diagonal(&star, diagonal);
    bw_poisson_residual(tiles, t, residual);
    double *x = bw_wide_field_tile(tiles->system->x, tiles->tile[t].slot);
    for (int n = 0; n < tiles->cells; n++) {
        int color = (n ^ n >> 3 ^ n >> 6) & 1;
        if (color == job->color && diagonal[n] > 0.0)
            x[n] += job->factor * residual[n] / diagonal[n];
    }
}

static void relax_tiles(int64_t begin, int64_t end, int worker, void *context)
{
    (void)worker;
    for (int32_t t = (int32_t)begin + 1; t <= end; t++)
        relax_tile(context, t);
}

static void sweep(BwPoissonRun *run, Relaxation *job)
{
    for (job->color = 0; job->color < 2; job->color++)
        bw_parallel_for(job->tiles->pool, job->tiles->count, BW_POISSON_GRAIN, relax_tiles, job);
    run->iterations++;
}

BwResult bw_poisson_relax(BwPoissonRun *run)
{
    const BwPoissonOptions *options = run->options;
    Relaxation job = {.tiles = run->tiles, .factor = (double)options->relaxation};
    int most = options->sweeps > 0 ? options->sweeps : options->iterations_max;
    bool is_met = false;
    while (run->iterations < most && !is_met) {
        sweep(run, &job);
        if (options->sweeps == 0 && (run->iterations % SWEEPS_BETWEEN_LOOKS == 0 || run->iterations == most))
            is_met = bw_poisson_is_met(options, bw_poisson_residual_norms(run->tiles), run->right_norm);
    }
    if (options->sweeps > 0)
        is_met = bw_poisson_is_met(options, bw_poisson_residual_norms(run->tiles), run->right_norm);
    run->reason = is_met ? BW_STOP_CONVERGED : BW_STOP_ITERATIONS;
    return BW_OK;
}
