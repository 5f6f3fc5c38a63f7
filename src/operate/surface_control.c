// Each loop visits the faces of one component that are near the surface.
#include "operate/surface_control.h"

#include "base/extremes.h"
#include "grid/sample.h"

#include <math.h>

typedef struct Job {
    const BwDomain *domain;
    const BwFaceMasks *faces;
    const BwSurfaceControl *controls;
    int count, axis;
    float dt;
    BwVelocity *velocity;
} Job;

float bw_surface_control_speed(const BwSurfaceControl *control)
{
    return bw_length(control->velocity) + BW_TURBULENCE_PEAK * fabsf(control->churn.strength);
}

static float wanted_at(const BwSurfaceControl *control, BwVec3 point, int axis, float h)
{
    float churn = control->churn.strength != 0.0f ? bw_turbulence_at(&control->churn, point, axis, h) : 0.0f;
    return bw_component(control->velocity, axis) + churn;
}

static bool reaches(const BwSurfaceControl *control, BwVec3 point)
{
    return control->shape == NULL || bw_shape_distance(control->shape, point) <= 0.0f;
}

// Faces of a layer at which a velocity is known that no liquid has.
static void control_air_range(int64_t begin, int64_t end, int worker, void *context)
{
    (void)worker;
    const Job *job = context;
    const BwGrid *grid = job->domain->grid;
    int axis = job->axis;
    for (int64_t m = begin; m < end; m++) {
        int32_t slot = grid->order[m];
        const uint64_t *known = bw_mask_tile(&job->faces->known[axis], slot),
                       *liquid = bw_mask_tile(&job->domain->face[axis], slot);
        float *u = bw_field_tile(&job->velocity->u[axis], slot);
        for (int n = 0; n < grid->tile_cells; n++) {
            if (!bw_bit(known, n) || bw_bit(liquid, n))
                continue;
            BwVec3 point =
                bw_sample_position(grid, grid->tiles[slot].coord, n, job->velocity->u[axis].location);
            for (int c = 0; c < job->count; c++) {
                const BwSurfaceControl *control = &job->controls[c];
                if (reaches(control, point))
                    u[n] = (1.0f - control->blend) * u[n] +
                           control->blend * wanted_at(control, point, axis, grid->cell_size);
            }
        }
    }
}

// How much of a face's surroundings is within a cell of the surface, which is where the drag acts.
static float share_of_layer(const Job *job, int32_t slot, int face)
{
    const BwField *phi = job->domain->terms->phi;
    float own = bw_field_tile(phi, slot)[face], low = bw_value_beside(phi, slot, face, 2 * job->axis);
    float depth = 0.5f * (own + low) / job->domain->grid->cell_size;
    return bw_smaller(bw_larger(1.5f + depth, 0.0f), 1.0f);
}

static void control_liquid_range(int64_t begin, int64_t end, int worker, void *context)
{
    (void)worker;
    const Job *job = context;
    const BwGrid *grid = job->domain->grid;
    int axis = job->axis;
    float h = grid->cell_size;
    for (int64_t m = begin; m < end; m++) {
        int32_t slot = grid->order[m];
        const uint64_t *passable = bw_mask_tile(&job->faces->passable[axis], slot),
                       *liquid = bw_mask_tile(&job->domain->flow[axis], slot);
        float *u = bw_field_tile(&job->velocity->u[axis], slot);
        for (int n = 0; n < grid->tile_cells; n++) {
            if (!bw_bit(passable, n) || !bw_bit(liquid, n))
                continue;
            float share = share_of_layer(job, slot, n);
            BwVec3 point =
                bw_sample_position(grid, grid->tiles[slot].coord, n, job->velocity->u[axis].location);
            for (int c = 0; c < job->count && share > 0.0f; c++) {
                const BwSurfaceControl *control = &job->controls[c];
                float part = 1.0f - expf(-share * control->drag / h * job->dt);
                if (reaches(control, point))
                    u[n] += part * (wanted_at(control, point, axis, h) - u[n]);
            }
        }
    }
}

static void run(Job *job, BwRangeFn *fn)
{
    const BwGrid *grid = job->domain->grid;
    for (job->axis = 0; job->axis < grid->dimension && job->count > 0; job->axis++)
        bw_parallel_for(job->domain->pool, grid->tile_count, 16, fn, job);
}

void bw_control_air(const BwDomain *domain, const BwFaceMasks *faces, const BwSurfaceControl *controls,
                    int count, BwVelocity *velocity)
{
    Job job = {domain, faces, controls, count, 0, 0.0f, velocity};
    run(&job, control_air_range);
}

void bw_control_liquid(const BwDomain *domain, const BwFaceMasks *faces, const BwSurfaceControl *controls,
                       int count, float dt, BwVelocity *velocity)
{
    Job job = {domain, faces, controls, count, 0, dt, velocity};
    run(&job, control_liquid_range);
}
