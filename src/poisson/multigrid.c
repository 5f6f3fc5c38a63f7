// Conjugate gradients preconditioned by a multigrid cycle (poisson/cycle.h). The unknown x is double and
// lives in the grid; residual, directions and preconditioner are float, kept by colour.
//
// A float cannot hold a pressure to 1e-6, but it can hold corrections: x gathers them in double. Whenever the
// float residual says it is done, the true one is computed in double, and the iteration starts again from it,
// scaled to one, until that is done too.
//
// In regions that nothing fixes, rounding gives the float residual a mean that it must not have: the cycle
// would answer it with a large pressure, and the iteration would blow up once the rest has become as small.
// So each step takes off the mean that the step before has left.
#include "grid/wide_lanes.h"
#include "poisson/cycle.h"
#include "poisson/poisson_methods.h"

#include <math.h>
#include <string.h>

// A restart that does not bring the true residual below this share of the one before is the end.
static const double gain_min = 0.5;

// Float vectors lose touch with the truth below this share of the residual they started from.
static const double float_floor = 3e-7;

// So many iterations without a new least residual, and rounding has taken over.
enum { PATIENCE = 5 };

typedef struct Multigrid {
    BwPoissonRun *run;
    const BwPoissonTiles *tiles;
    BwPyramid pyramid;
    BwLevel *finest; // b is the residual, x the preconditioned one
    float *search, *product;
    double scale;       // near the norm of the residual: vectors are divided by it
    float alpha, beta;  // steps along and of the search direction
    float alpha_before; // step that x has still to take along the old direction
    double *part_sum;   // of the residual, by connected part
    double *drift;      // its mean, by region without a fixed value
} Multigrid;

static double run_sum(Multigrid *mg, BwReduceFn *fn)
{
    return bw_parallel_sum(mg->tiles->pool, mg->tiles->count, BW_POISSON_GRAIN, fn, mg);
}

static void run_for(Multigrid *mg, BwRangeFn *fn)
{
    bw_parallel_for(mg->tiles->pool, mg->tiles->count, BW_POISSON_GRAIN, fn, mg);
}

// The true residual over `scale`, by colour; the search direction forgets its past.
static void start_tile(const BwPoissonTiles *tiles, int32_t t, double *values, void *context)
{
    const Multigrid *mg = context;
    bw_poisson_residual(tiles, t, values);
    int cells = tiles->cells, half = cells / 2;
    float *b = mg->finest->b + (int64_t)t * cells;
    for (int at = 0; at < half; at += BW_LANES) {
        BwLanes low = bw_lanes_narrow(values + 2 * at, 1.0 / mg->scale);
        BwLanes high = bw_lanes_narrow(values + 2 * at + BW_LANES, 1.0 / mg->scale), even, odd;
        bw_colors_split(low, high, at, &even, &odd);
        bw_lanes_store(b + at, even);
        bw_lanes_store(b + half + at, odd);
    }
    memset(mg->search + (int64_t)t * cells, 0, (size_t)cells * sizeof(float));
}

// x += alpha p, p = z + beta p.
static void turn_tiles(int64_t begin, int64_t end, int worker, void *context)
{
    (void)worker;
    const Multigrid *mg = context;
    int cells = mg->tiles->cells, half = cells / 2;
    double step = (double)mg->alpha_before * mg->scale;
    for (int32_t t = (int32_t)begin + 1; t <= end; t++) {
        double *x = bw_wide_field_tile(mg->tiles->system->x, mg->tiles->tile[t].slot);
        float *p = mg->search + (int64_t)t * cells;
        const float *z = mg->finest->x + (int64_t)t * cells;
        unsigned filled = mg->finest->filled[t][0] | mg->finest->filled[t][1];
        for (int at = 0; at < half; at += BW_LANES) {
            if (!(filled >> (at / 16) & 1))
                continue;
            BwLanes even = bw_lanes_load(p + at), odd = bw_lanes_load(p + half + at), low, high;
            bw_colors_merge(even, odd, at, &low, &high);
            bw_lanes_add_scaled(x + 2 * at, low, step);
            bw_lanes_add_scaled(x + 2 * at + BW_LANES, high, step);
            bw_lanes_store(p + at, bw_lanes_load(z + at) + mg->beta * even);
            bw_lanes_store(p + half + at, bw_lanes_load(z + half + at) + mg->beta * odd);
        }
    }
}

// q = A p; gives p . q.
static double apply_tiles(int64_t begin, int64_t end, int worker, void *context)
{
    (void)worker;
    const Multigrid *mg = context;
    int cells = mg->tiles->cells;
    double sum = 0.0;
    for (int32_t t = (int32_t)begin + 1; t <= end; t++)
        for (int color = 0; color < 2; color++)
            sum += bw_red_black_apply(mg->finest, t, color, mg->search,
                                      mg->product + (int64_t)t * cells + color * (cells / 2));
    return sum;
}

// Cells of a tile that hold unknowns, by place.
static inline BwLaneBits unknown_lanes(const BwLevel *level, int32_t t, int at)
{
    bool is_full = level->uniform[t] > 0.0f && bw_level_masks(level, t) == NULL;
    return is_full ? ~(BwLaneBits){0} : bw_lanes_load(bw_level_inverse(level, t) + at) > 0.0f;
}

// Takes off each region's drift where a tile has several parts, and sums what is left by part.
static void center_parts(const Multigrid *mg, int32_t t, float *r)
{
    const BwPoissonTile *tile = &mg->tiles->tile[t];
    for (int n = 0; n < mg->tiles->cells; n++) {
        int32_t region = bw_bit(tile->unknown, n) ? bw_poisson_region(mg->tiles, t, n) : -1;
        if (region < 0)
            continue;
        float *value = &r[bw_place_of(n, mg->tiles->cells / 2)];
        *value -= (float)mg->drift[region];
        mg->part_sum[tile->first_part + mg->tiles->labels[tile->label + n]] += (double)*value;
    }
}

// r -= alpha q on one tile, less the drift; gives r . r.
static double descend_tile(const Multigrid *mg, int32_t t)
{
    int cells = mg->tiles->cells;
    const BwPoissonTile *tile = &mg->tiles->tile[t];
    int32_t region = tile->label < 0 ? mg->tiles->region_of_part[tile->first_part] : -1;
    float drift = region >= 0 ? (float)mg->drift[region] : 0.0f;
    float *r = mg->finest->b + (int64_t)t * cells;
    const float *q = mg->product + (int64_t)t * cells;
    BwSixteen square = {0}, sum = {0};
    for (int at = 0; at < cells; at += BW_LANES) {
        BwLanes rows = bw_lanes_load(r + at) - mg->alpha * bw_lanes_load(q + at);
        if (drift != 0.0f)
            rows -= bw_lanes_keep(bw_lanes_of(drift), unknown_lanes(mg->finest, t, at));
        bw_lanes_store(r + at, rows);
        square.part[(at & 15) / BW_LANES] += rows * rows;
        sum.part[(at & 15) / BW_LANES] += rows;
    }
    if (region >= 0)
        mg->part_sum[tile->first_part] = bw_sixteen_sum(&sum);
    if (tile->label >= 0 && mg->tiles->region_count > 0)
        center_parts(mg, t, r);
    return bw_sixteen_sum(&square);
}

static double descend_tiles(int64_t begin, int64_t end, int worker, void *context)
{
    (void)worker;
    double sum = 0.0;
    for (int32_t t = (int32_t)begin + 1; t <= end; t++)
        sum += descend_tile(context, t);
    return sum;
}

// The mean that the residual has now in each region without a fixed value.
static void measure_drift(Multigrid *mg)
{
    const BwPoissonTiles *tiles = mg->tiles;
    for (int32_t region = 0; region < tiles->region_count; region++)
        mg->drift[region] = 0.0;
    for (int32_t part = 0; part < tiles->part_count && tiles->region_count > 0; part++) {
        if (tiles->region_of_part[part] >= 0)
            mg->drift[tiles->region_of_part[part]] += mg->part_sum[part];
        mg->part_sum[part] = 0.0;
    }
    for (int32_t region = 0; region < tiles->region_count; region++)
        mg->drift[region] /= tiles->cells_of_region[region];
}

static double product_of_tiles(int64_t begin, int64_t end, int worker, void *context)
{
    (void)worker;
    const Multigrid *mg = context;
    int cells = mg->tiles->cells;
    double sum = 0.0;
    for (int32_t t = (int32_t)begin + 1; t <= end; t++) {
        const float *r = mg->finest->b + (int64_t)t * cells, *z = mg->finest->x + (int64_t)t * cells;
        BwSixteen product = {0};
        for (int at = 0; at < cells; at += BW_LANES)
            product.part[(at & 15) / BW_LANES] += bw_lanes_load(r + at) * bw_lanes_load(z + at);
        sum += bw_sixteen_sum(&product);
    }
    return sum;
}

static double largest_of_tiles(int64_t begin, int64_t end, int worker, void *context)
{
    (void)worker;
    const Multigrid *mg = context;
    float max = 0.0f;
    for (int64_t n = (begin + 1) * mg->tiles->cells; n < (end + 1) * mg->tiles->cells; n++)
        max = fabsf(mg->finest->b[n]) > max ? fabsf(mg->finest->b[n]) : max;
    return (double)max;
}

static bool is_met(Multigrid *mg, double square)
{
    BwPoissonNorms norms = {.square = square * mg->scale * mg->scale};
    if (!bw_poisson_is_met(mg->run->options, norms, mg->run->right_norm))
        return false;
    if (mg->run->options->bound > 0.0)
        norms.max = mg->scale * bw_parallel_max(mg->tiles->pool, mg->tiles->count, BW_POISSON_GRAIN,
                                                largest_of_tiles, mg);
    return bw_poisson_is_met(mg->run->options, norms, mg->run->right_norm);
}

// z = M r; gives z . r.
static double precondition(Multigrid *mg)
{
    bw_pyramid_cycle(&mg->pyramid);
    return run_sum(mg, product_of_tiles);
}

// The step along the last direction, which x has not taken yet.
static void settle_x(Multigrid *mg)
{
    mg->alpha_before = mg->alpha;
    mg->beta = 0.0f;
    run_for(mg, turn_tiles);
}

// Iterates from the residual at hand until it meets the options by its own account, or has lost touch with
// the truth; gives false when the iterations are used up or no direction is left to go.
static bool iterate(Multigrid *mg)
{
    BwPoissonRun *run = mg->run;
    double sigma = precondition(mg), least = INFINITY;
    double floor = float_floor * float_floor * run->norms.square / (mg->scale * mg->scale);
    int least_at = run->iterations;
    mg->alpha = mg->beta = 0.0f;
    for (int32_t region = 0; region < mg->tiles->region_count; region++)
        mg->drift[region] = 0.0;
    while (run->iterations < run->options->iterations_max) {
        mg->alpha_before = mg->alpha;
        run_for(mg, turn_tiles);
        double curvature = run_sum(mg, apply_tiles);
        if (!(curvature > 0.0) || !(sigma > 0.0)) {
            run->reason = BW_STOP_STALLED;
            return false;
        }
        mg->alpha = (float)(sigma / curvature);
        double square = run_sum(mg, descend_tiles);
        measure_drift(mg);
        run->iterations++;
        if (square < least) {
            least = square;
            least_at = run->iterations;
        }
        bool is_lost = square < floor || run->iterations - least_at >= PATIENCE;
        if (is_lost || is_met(mg, square)) {
            settle_x(mg);
            mg->scale *= square > 0.0 ? sqrt(square) : 1.0;
            return true;
        }
        double next = precondition(mg);
        mg->beta = (float)(next / sigma);
        sigma = next;
    }
    settle_x(mg);
    run->reason = BW_STOP_ITERATIONS;
    return false;
}

static BwResult multigrid_create(Multigrid *mg, BwPoissonRun *run, BwError *err)
{
    *mg = (Multigrid){.run = run, .tiles = run->tiles};
    BW_TRY(bw_pyramid_build(&mg->pyramid, run->tiles, err));
    mg->finest = &mg->pyramid.level[0];
    size_t count = ((size_t)run->tiles->count + 1) * (size_t)run->tiles->cells;
    mg->search = bw_workspace_alloc(run->tiles->workspace, count * sizeof(float));
    mg->product = bw_workspace_alloc(run->tiles->workspace, count * sizeof(float));
    mg->part_sum =
        bw_workspace_alloc_zeroed(run->tiles->workspace, (size_t)run->tiles->part_count * sizeof(double));
    mg->drift =
        bw_workspace_alloc_zeroed(run->tiles->workspace, (size_t)run->tiles->region_count * sizeof(double));
    if (mg->search == NULL || mg->product == NULL || mg->part_sum == NULL || mg->drift == NULL)
        return bw_fail_memory(err);
    memset(mg->search, 0, (size_t)run->tiles->cells * sizeof(float));
    return BW_OK;
}

BwResult bw_poisson_multigrid(BwPoissonRun *run, BwError *err)
{
    Multigrid mg;
    BW_TRY(multigrid_create(&mg, run, err));
    mg.scale = run->right_norm;
    for (double before = INFINITY;;) {
        run->norms = bw_poisson_norms(run->tiles, start_tile, &mg);
        run->has_norms = true;
        double norm = sqrt(run->norms.square);
        if (bw_poisson_is_met(run->options, run->norms, run->right_norm)) {
            run->reason = BW_STOP_CONVERGED;
            return BW_OK;
        }
        if (!(norm < gain_min * before)) {
            run->reason = BW_STOP_STALLED;
            return BW_OK;
        }
        before = norm;
        run->has_norms = false;
        if (!iterate(&mg))
            return BW_OK;
    }
}
