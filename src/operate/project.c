// The projection in a domain of whole cells: faces are open or closed, and closed ones hold the speed of
// their wall as the velocity itself. Coefficients, balance and update are those of operate/assemble.h.
#include "operate/project.h"

#include "operate/measure.h"
#include <float.h>

BwResult bw_projection_create(BwProjection *projection, BwGrid *grid, BwPool *pool, BwError *err)
{
    *projection = (BwProjection){0};
    BwResult result = bw_poisson_solver_create(&projection->solver, &grid->allocator, pool, err);
    if (result == BW_OK)
        result = bw_pressure_system_create(&projection->system, grid, err);
    if (result != BW_OK)
        bw_projection_destroy(projection);
    return result;
}

void bw_projection_destroy(BwProjection *projection)
{
    bw_poisson_solver_destroy(projection->solver);
    projection->solver = NULL;
    bw_pressure_system_destroy(&projection->system);
}

typedef struct Job {
    const BwDomain *domain;
    BwProjection *projection;
} Job;

static void open_faces(int64_t begin, int64_t end, int worker, void *context)
{
    (void)worker;
    const Job *job = context;
    const BwGrid *grid = job->domain->grid;
    for (int64_t n = begin; n < end; n++) {
        int32_t slot = grid->order[n];
        for (int a = 0; a < grid->dimension; a++) {
            const uint64_t *flow = bw_mask_tile(&job->domain->flow[a], slot);
            float *face = bw_field_tile(&job->projection->system.face[a], slot);
            for (int c = 0; c < grid->tile_cells; c++)
                face[c] = bw_bit(flow, c) ? 1.0f : 0.0f;
        }
    }
}

static void components(const BwVelocity *velocity, BwField *u[3])
{
    for (int a = 0; a < 3; a++)
        u[a] = (BwField *)&velocity->u[a];
}

BwResult bw_project(BwProjection *projection, const BwDomain *domain, BwVelocity *velocity,
                    const BwPoissonOptions *options, BwPoissonReport *report, BwError *err)
{
    // Below the rounding of the velocities there is nothing to solve for, only noise to chase.
    double noise = FLT_EPSILON * (double)bw_velocity_max(domain, velocity);
    double outflow = bw_divergence_max(domain, velocity) * (double)domain->grid->cell_size;
    if (outflow <= noise) {
        *report = (BwPoissonReport){.residual_max = outflow, .reason = BW_STOP_EMPTY};
        return BW_OK;
    }
    BwField *u[3];
    components(velocity, u);
    BwPressureSystem *system = &projection->system;
    BwPressureTerms terms = {.fluid = &domain->fluid};
    for (int a = 0; a < domain->grid->dimension; a++)
        terms.open[a] = &system->face[a];
    Job job = {domain, projection};
    bw_parallel_for(domain->pool, domain->grid->tile_count, 32, open_faces, &job);
    bw_assemble_pressure(system, &terms, u, domain->pool);
    BwPoisson view = bw_pressure_system_view(system);
    BW_TRY(bw_poisson_solve(projection->solver, &view, options, report, err));
    bw_subtract_pressure(system, &terms, u, domain->pool);
    return BW_OK;
}

double bw_divergence_max(const BwDomain *domain, const BwVelocity *velocity)
{
    BwField *u[3];
    components(velocity, u);
    BwPressureTerms terms = {.fluid = &domain->fluid};
    return bw_net_outflow_max(&terms, u, domain->pool) / (double)domain->grid->cell_size;
}
