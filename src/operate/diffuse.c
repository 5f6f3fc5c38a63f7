// Implicit diffusion: for every free sample c,
//
//     m x_c + k sum over open lines s (x_c - x_n) + k sum over surfaces s w (x_c - wall) + l (x_c - out) = m
//     old_c,
//
// k = coefficient dt / h^2 and w from solidflow/boundary_condition.h; capacity m and share s are 1 and the
// loss l is 0 where the medium fills its cells. Backward Euler: stable and free of new extremes for any time
// step, exact once the field is steady. Solved for the change x - old, so that the tolerance counts in what
// happens in the step: a little diffusion a step is not lost among large values. Multigrid took no longer
// than conjugate gradients with the diagonal at k = 0.01, and half as long at k = 1 (64^3).
#include "operate/diffuse.h"

#include "grid/rows.h"
#include <math.h>

BwResult bw_diffusion_create(BwDiffusion *diffusion, BwGrid *grid, BwPool *pool, bool has_solver,
                             BwError *err)
{
    *diffusion = (BwDiffusion){0};
    BwResult result = bw_boundary_masks_create(&diffusion->masks, grid, err);
    if (result == BW_OK && has_solver)
        result = bw_poisson_solver_create(&diffusion->solver, &grid->allocator, pool, err);
    BwField *fields[] = {&diffusion->mass, &diffusion->right, &diffusion->face[0], &diffusion->face[1],
                         &diffusion->face[2]};
    for (int n = 0; n < 2 + grid->dimension && has_solver && result == BW_OK; n++)
        result = bw_field_create(fields[n], grid, BW_AT_CELL, 0.0f, err);
    if (result == BW_OK && has_solver)
        result = bw_wide_field_create(&diffusion->x, grid, err);
    if (result != BW_OK)
        bw_diffusion_destroy(diffusion);
    return result;
}

void bw_diffusion_destroy(BwDiffusion *diffusion)
{
    bw_poisson_solver_destroy(diffusion->solver);
    diffusion->solver = NULL;
    bw_boundary_masks_destroy(&diffusion->masks);
    bw_field_destroy(&diffusion->mass);
    bw_field_destroy(&diffusion->right);
    for (int a = 0; a < 3; a++)
        bw_field_destroy(&diffusion->face[a]);
    bw_wide_field_destroy(&diffusion->x);
}

typedef struct Job {
    BwDiffusion *diffusion;
    const BwBoundaryField *boundary;
    float k;    // coefficient dt / h^2
    float base; // the field's background, which values count from
    const BwDiffuseTerms *medium;
    BwMask *touched;
} Job;

// Samples of a tile and what is around them.
typedef struct Around {
    BwLanes low[3], center, high[3];
} Around;

static inline Around look_around(const BwStar *star, int dimension, int at)
{
    Around a = {.center = bw_lanes_load(star->center + at)};
    a.low[0] = bw_lanes_x_low(star, a.center, at);
    a.high[0] = bw_lanes_x_high(star, a.center, at);
    a.low[1] = bw_lanes_y_low(star, a.center, at);
    a.high[1] = bw_lanes_y_high(star, a.center, at);
    if (dimension == 3) {
        a.low[2] = bw_lanes_z_low(star, at);
        a.high[2] = bw_lanes_z_high(star, at);
    }
    return a;
}

// What is different where the medium does not fill its cells; right sides and masses count in those of full
// ones so far.
static void thin_out(const Job *job, int32_t slot, const BwBoundaryTerms *terms)
{
    const BwGrid *grid = job->boundary->domain->grid;
    const BwDiffuseTerms *medium = job->medium;
    const float *old = bw_field_tile(job->boundary->field, slot), *share = bw_field_tile(medium->share, slot),
                *capacity = bw_field_tile(medium->capacity, slot),
                *loss = medium->loss != NULL ? bw_field_tile(medium->loss, slot) : NULL;
    float *mass = bw_field_tile(&job->diffusion->mass, slot),
          *right = bw_field_tile(&job->diffusion->right, slot);
    for (int n = 0; n < grid->tile_cells; n++) {
        float part = share[n] < 1.0f ? share[n] : 1.0f, lost = loss != NULL ? loss[n] : 0.0f;
        mass[n] = capacity[n] + part * job->k * terms->weight[n] + lost;
        right[n] = part * right[n] + lost * (medium->outside - old[n]);
    }
    BwStar star = bw_star(medium->share, slot);
    for (int at = 0; at < grid->tile_cells; at += BW_LANES) {
        Around around = look_around(&star, grid->dimension, at);
        for (int a = 0; a < grid->dimension; a++) {
            float *face = bw_field_tile(&job->diffusion->face[a], slot) + at;
            BwLanes lesser =
                bw_lanes_smaller(bw_lanes_smaller(around.center, around.low[a]), bw_lanes_of(1.0f));
            bw_lanes_store(face, bw_lanes_load(face) * lesser);
        }
    }
}

static void assemble_range(int64_t begin, int64_t end, int worker, void *context)
{
    (void)worker;
    const Job *job = context;
    const BwGrid *grid = job->boundary->domain->grid;
    BwDiffusion *diffusion = job->diffusion;
    BwBoundaryTerms terms;
    for (int64_t m = begin; m < end; m++) {
        int32_t slot = grid->order[m];
        const float *restrict old = bw_field_tile(job->boundary->field, slot);
        float *restrict mass = bw_field_tile(&diffusion->mass, slot);
        float *restrict right = bw_field_tile(&diffusion->right, slot);
        double *restrict x = bw_wide_field_tile(&diffusion->x, slot);
        bw_boundary_terms(job->boundary, &diffusion->masks, slot, BW_TERMS_BY_DISTANCE, &terms);
        for (int n = 0; n < grid->tile_cells; n++) {
            mass[n] = 1.0f + job->k * terms.weight[n];
            right[n] = job->k * (terms.value[n] - terms.weight[n] * (old[n] - job->base));
            x[n] = 0.0;
        }
        for (int a = 0; a < grid->dimension; a++) {
            float *restrict face = bw_field_tile(&diffusion->face[a], slot);
            for (int n = 0; n < grid->tile_cells; n++)
                face[n] = bw_bit(terms.link[a], n) ? job->k : 0.0f;
        }
        if (job->medium != NULL)
            thin_out(job, slot, &terms);
    }
}

// Adds to the right side what flows in along the open lines, k sum (old_n - old_c); gives the sum of its
// squares, the surfaces' part included.
static double add_flow(int64_t begin, int64_t end, int worker, void *context)
{
    (void)worker;
    const Job *job = context;
    const BwGrid *grid = job->boundary->domain->grid;
    double sum = 0.0;
    for (int64_t m = begin; m < end; m++) {
        int32_t slot = grid->order[m];
        float *right = bw_field_tile(&job->diffusion->right, slot);
        const uint64_t *free = bw_mask_tile(&job->diffusion->masks.free, slot);
        BwStar values = bw_star(job->boundary->field, slot), faces[3];
        for (int a = 0; a < grid->dimension; a++)
            faces[a] = bw_star(&job->diffusion->face[a], slot);
        for (int at = 0; at < grid->tile_cells; at += BW_LANES) {
            Around value = look_around(&values, grid->dimension, at);
            BwLanes flow = bw_lanes_load(right + at);
            for (int a = 0; a < grid->dimension; a++) {
                Around face = look_around(&faces[a], grid->dimension, at);
                flow += face.center * (value.low[a] - value.center) +
                        face.high[a] * (value.high[a] - value.center);
            }
            bw_lanes_store(right + at, flow);
            for (int n = 0; n < BW_LANES; n++)
                sum += bw_bit(free, at + n) ? (double)flow[n] * (double)flow[n] : 0.0;
        }
    }
    return sum;
}

static double sum_of_squares(int64_t begin, int64_t end, int worker, void *context)
{
    (void)worker;
    const Job *job = context;
    const BwGrid *grid = job->boundary->domain->grid;
    double sum = 0.0;
    for (int64_t m = begin; m < end; m++) {
        int32_t slot = grid->order[m];
        const uint64_t *free = bw_mask_tile(&job->diffusion->masks.free, slot);
        const float *value = bw_field_tile(job->boundary->field, slot);
        for (int n = 0; n < grid->tile_cells; n++) {
            double from_base = bw_bit(free, n) ? (double)value[n] - (double)job->base : 0.0;
            sum += from_base * from_base;
        }
    }
    return sum;
}

static void take_over_range(int64_t begin, int64_t end, int worker, void *context)
{
    (void)worker;
    const Job *job = context;
    const BwGrid *grid = job->boundary->domain->grid;
    for (int64_t m = begin; m < end; m++) {
        int32_t slot = grid->order[m];
        const uint64_t *free = bw_mask_tile(&job->diffusion->masks.free, slot);
        const double *x = bw_wide_field_tile(&job->diffusion->x, slot);
        float *value = bw_field_tile(job->boundary->field, slot);
        for (int n = 0; n < grid->tile_cells; n++)
            value[n] = bw_bit(free, n) ? (float)((double)value[n] + x[n]) : value[n];
    }
}

// Of the change in the step, and of the values themselves: below that floats cannot hold it. The matrix is
// never below 1, so that the residual bounds the error.
static const double change_tolerance = 1e-5, value_tolerance = 1e-8;

// Relative to the right side.
static double tolerance(const Job *job, BwPool *pool, int32_t tiles)
{
    double change = bw_parallel_sum(pool, tiles, 16, add_flow, (void *)job);
    double value = bw_parallel_sum(pool, tiles, 64, sum_of_squares, (void *)job);
    return change > 0.0 ? fmin(fmax(change_tolerance, value_tolerance * sqrt(value / change)), 1.0) : 1.0;
}

BwResult bw_diffuse(BwDiffusion *diffusion, const BwBoundaryField *boundary, float coefficient,
                    const BwDiffuseTerms *terms, BwPoissonReport *report, BwError *err)
{
    const BwGrid *grid = boundary->domain->grid;
    BwPool *pool = boundary->domain->pool;
    Job job = {.diffusion = diffusion,
               .boundary = boundary,
               .k = coefficient * boundary->dt / (grid->cell_size * grid->cell_size),
               .base = bw_field_background(boundary->field),
               .medium = terms};
    bw_boundary_find_free(boundary, &diffusion->masks);
    bw_parallel_for(pool, grid->tile_count, 16, assemble_range, &job);
    BwPoissonOptions options = {.method = BW_PRESSURE_MULTIGRID,
                                .tolerance = tolerance(&job, pool, grid->tile_count),
                                .iterations_max = 200};
    BwPoisson system = {.grid = grid,
                        .unknown = &diffusion->masks.free,
                        .mass = &diffusion->mass,
                        .right = &diffusion->right,
                        .x = &diffusion->x};
    for (int a = 0; a < grid->dimension; a++)
        system.face[a] = &diffusion->face[a];
    BW_TRY(bw_poisson_solve(diffusion->solver, &system, &options, report, err));
    bw_parallel_for(pool, grid->tile_count, 64, take_over_range, &job);
    return BW_OK;
}

static void mark_touched(const BwBoundaryTerms *terms, int layers, uint64_t *touched)
{
    for (int k = 0; k < layers; k++) {
        touched[k] = 0;
        for (int n = 0; n < 64; n++)
            touched[k] |= (uint64_t)(terms->weight[64 * k + n] > 0.0f) << n;
    }
}

static void impose_range(int64_t begin, int64_t end, int worker, void *context)
{
    (void)worker;
    const Job *job = context;
    const BwGrid *grid = job->boundary->domain->grid;
    BwBoundaryTerms terms;
    for (int64_t m = begin; m < end; m++) {
        int32_t slot = grid->order[m];
        float *value = bw_field_tile(job->boundary->field, slot);
        bw_boundary_terms(job->boundary, &job->diffusion->masks, slot, BW_TERMS_BY_TOUCH, &terms);
        if (job->touched != NULL)
            mark_touched(&terms, grid->layers, bw_mask_tile(job->touched, slot));
        for (int n = 0; n < grid->tile_cells; n++)
            if (terms.weight[n] > 0.0f) {
                float grip = terms.weight[n] < 1.0f ? terms.weight[n] : 1.0f;
                value[n] += grip * (job->base + terms.value[n] / terms.weight[n] - value[n]);
            }
    }
}

void bw_impose_walls(BwDiffusion *diffusion, const BwBoundaryField *boundary, BwMask *touched)
{
    Job job = {.diffusion = diffusion,
               .boundary = boundary,
               .base = bw_field_background(boundary->field),
               .touched = touched};
    bw_boundary_find_free(boundary, &diffusion->masks);
    bw_parallel_for(boundary->domain->pool, boundary->domain->grid->tile_count, 16, impose_range, &job);
}
