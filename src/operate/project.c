// The projection. With x = p dt / (rho h) the new velocity is u - (x_c - x_below), and asking for no net
// outflow gives sum over open faces of (x_c - x_n) = -(net outflow): the system of operate/poisson.h with
// unit coefficients.
#include "operate/project.h"

#include "operate/measure.h"
#include <float.h>
#include <math.h>

BwResult bw_projection_create(BwProjection *projection, BwGrid *grid, BwPool *pool, BwError *err)
{
    *projection = (BwProjection){0};
    BwResult result = bw_poisson_solver_create(&projection->solver, &grid->allocator, pool, err);
    for (int a = 0; a < grid->dimension && result == BW_OK; a++)
        result = bw_field_create(&projection->face[a], grid, (BwLocation)(BW_AT_FACE_X + a), 0.0f, err);
    if (result == BW_OK)
        result = bw_field_create(&projection->outflow, grid, BW_AT_CELL, 0.0f, err);
    if (result == BW_OK)
        result = bw_wide_field_create(&projection->x, grid, err);
    if (result != BW_OK)
        bw_projection_destroy(projection);
    return result;
}

void bw_projection_destroy(BwProjection *projection)
{
    bw_poisson_solver_destroy(projection->solver);
    projection->solver = NULL;
    for (int a = 0; a < 3; a++)
        bw_field_destroy(&projection->face[a]);
    bw_field_destroy(&projection->outflow);
    bw_wide_field_destroy(&projection->x);
}

typedef struct Job {
    const BwDomain *domain;
    const BwVelocity *velocity;
    BwProjection *projection;
} Job;

// The value across a cell's high side: in the tile, or in the one beside it.
typedef struct HighSide {
    int stride, last_mask, link;
} HighSide;

static const HighSide high_sides[3] = {{1, 7, 14}, {8, 56, 16}, {64, 448, 22}};
static const HighSide low_sides[3] = {{1, 7, 12}, {8, 56, 10}, {64, 448, 4}};

static int high_index(const HighSide *side, int c, bool *is_beside)
{
    *is_beside = (c & side->last_mask) == side->last_mask;
    return *is_beside ? c - side->last_mask : c + side->stride;
}

// Net outflow of a cell, m/s, in double: the sum of the velocities out through its faces.
static double net_outflow(const BwGrid *grid, const BwVelocity *velocity, int32_t slot, int c)
{
    double sum = 0.0;
    for (int a = 0; a < grid->dimension; a++) {
        bool is_beside;
        int high = high_index(&high_sides[a], c, &is_beside);
        int32_t high_slot = is_beside ? grid->tiles[slot].neighbour[high_sides[a].link] : slot;
        sum += (double)bw_field_tile(&velocity->u[a], high_slot)[high] -
               (double)bw_field_tile(&velocity->u[a], slot)[c];
    }
    return sum;
}

static void assemble_range(int64_t begin, int64_t end, int worker, void *context)
{
    (void)worker;
    const Job *job = context;
    const BwDomain *domain = job->domain;
    const BwGrid *grid = domain->grid;
    for (int64_t n = begin; n < end; n++) {
        int32_t slot = grid->order[n];
        const uint64_t *fluid = bw_mask_tile(&domain->fluid, slot);
        float *outflow = bw_field_tile(&job->projection->outflow, slot);
        double *x = bw_wide_field_tile(&job->projection->x, slot);
        for (int c = 0; c < grid->tile_cells; c++) {
            bool is_fluid = bw_bit(fluid, c);
            outflow[c] = is_fluid ? (float)-net_outflow(grid, job->velocity, slot, c) : 0.0f;
            x[c] = is_fluid ? x[c] : 0.0;
        }
        for (int a = 0; a < grid->dimension; a++) {
            const uint64_t *flow = bw_mask_tile(&domain->flow[a], slot);
            float *face = bw_field_tile(&job->projection->face[a], slot);
            for (int c = 0; c < grid->tile_cells; c++)
                face[c] = bw_bit(flow, c) ? 1.0f : 0.0f;
        }
    }
}

static void subtract_range(int64_t begin, int64_t end, int worker, void *context)
{
    (void)worker;
    const Job *job = context;
    const BwGrid *grid = job->domain->grid;
    for (int64_t n = begin; n < end; n++) {
        int32_t slot = grid->order[n];
        const double *x = bw_wide_field_tile(&job->projection->x, slot);
        for (int a = 0; a < grid->dimension; a++) {
            const HighSide *side = &low_sides[a];
            const double *beside =
                bw_wide_field_tile(&job->projection->x, grid->tiles[slot].neighbour[side->link]);
            const uint64_t *flow = bw_mask_tile(&job->domain->flow[a], slot);
            float *u = bw_field_tile((BwField *)&job->velocity->u[a], slot);
            for (int c = 0; c < grid->tile_cells; c++) {
                double below = (c & side->last_mask) == 0 ? beside[c + side->last_mask] : x[c - side->stride];
                u[c] = bw_bit(flow, c) ? (float)((double)u[c] - (x[c] - below)) : u[c];
            }
        }
    }
}

BwResult bw_project(BwProjection *projection, const BwDomain *domain, BwVelocity *velocity,
                    const BwPoissonOptions *options, BwPoissonReport *report, BwError *err)
{
    Job job = {domain, velocity, projection};
    // Below the rounding of the velocities there is nothing to solve for, only noise to chase.
    double noise = FLT_EPSILON * (double)bw_velocity_max(domain, velocity);
    double outflow = bw_divergence_max(domain, velocity) * (double)domain->grid->cell_size;
    if (outflow <= noise) {
        *report = (BwPoissonReport){.residual_max = outflow, .reason = BW_STOP_EMPTY};
        return BW_OK;
    }
    bw_parallel_for(domain->pool, domain->grid->tile_count, 32, assemble_range, &job);
    BwPoisson system = {
        .grid = domain->grid, .unknown = &domain->fluid, .right = &projection->outflow, .x = &projection->x};
    for (int a = 0; a < domain->grid->dimension; a++)
        system.face[a] = &projection->face[a];
    BW_TRY(bw_poisson_solve(projection->solver, &system, options, report, err));
    bw_parallel_for(domain->pool, domain->grid->tile_count, 32, subtract_range, &job);
    return BW_OK;
}

static double divergence_range(int64_t begin, int64_t end, int worker, void *context)
{
    (void)worker;
    const Job *job = context;
    const BwGrid *grid = job->domain->grid;
    double most = 0.0;
    for (int64_t n = begin; n < end; n++) {
        int32_t slot = grid->order[n];
        const uint64_t *fluid = bw_mask_tile(&job->domain->fluid, slot);
        for (int c = 0; c < grid->tile_cells; c++)
            if (bw_bit(fluid, c))
                most = fmax(most, fabs(net_outflow(grid, job->velocity, slot, c)));
    }
    return most;
}

double bw_divergence_max(const BwDomain *domain, const BwVelocity *velocity)
{
    Job job = {domain, velocity, NULL};
    double most = bw_parallel_max(domain->pool, domain->grid->tile_count, 32, divergence_range, &job);
    return fmax(most, 0.0) / (double)domain->grid->cell_size;
}
