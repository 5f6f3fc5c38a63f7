// Loops over faces around the two halves of a step by reflection.
#include "advect/reflect.h"

typedef struct Job {
    const BwDomain *domain;
    const BwVelocity *from;
    BwVelocity *to;
} Job;

static void reflect_range(int64_t begin, int64_t end, int worker, void *context)
{
    (void)worker;
    const Job *job = context;
    const BwGrid *grid = job->domain->grid;
    for (int64_t n = begin; n < end; n++)
        for (int a = 0; a < grid->dimension; a++) {
            float *restrict to = bw_field_tile(&job->to->u[a], grid->order[n]);
            const float *restrict mirror = bw_field_tile(&job->from->u[a], grid->order[n]);
            const uint64_t *flow = bw_mask_tile(&job->domain->flow[a], grid->order[n]);
            for (int c = 0; c < grid->tile_cells; c++)
                to[c] = bw_bit(flow, c) ? 2.0f * mirror[c] - to[c] : mirror[c];
        }
}

void bw_reflect_velocity(const BwDomain *domain, const BwVelocity *velocity, BwVelocity *reflected)
{
    Job job = {domain, velocity, reflected};
    bw_parallel_for(domain->pool, domain->grid->tile_count, 32, reflect_range, &job);
}

static void closed_faces_range(int64_t begin, int64_t end, int worker, void *context)
{
    (void)worker;
    const Job *job = context;
    const BwGrid *grid = job->domain->grid;
    for (int64_t n = begin; n < end; n++)
        for (int a = 0; a < grid->dimension; a++) {
            int32_t slot = grid->order[n];
            float *to = bw_field_tile(&job->to->u[a], slot);
            const float *from = bw_field_tile(&job->from->u[a], slot);
            const uint64_t *face = bw_mask_tile(&job->domain->face[a], slot),
                           *flow = bw_mask_tile(&job->domain->flow[a], slot);
            for (int c = 0; c < grid->tile_cells; c++)
                to[c] = bw_bit(face, c) && !bw_bit(flow, c) ? from[c] : to[c];
        }
}

void bw_keep_closed_faces(const BwDomain *domain, const BwVelocity *before, BwVelocity *velocity)
{
    Job job = {domain, before, velocity};
    bw_parallel_for(domain->pool, domain->grid->tile_count, 32, closed_faces_range, &job);
}

void bw_keep_dead_faces(const BwDomain *domain, const BwVelocity *before, BwVelocity *velocity)
{
    const BwGrid *grid = domain->grid;
    for (int32_t n = 0; n < grid->tile_count; n++) {
        int32_t slot = grid->order[n];
        if (bw_tile_is_all_live(grid, slot))
            continue;
        for (int a = 0; a < grid->dimension; a++) {
            float *to = bw_field_tile(&velocity->u[a], slot);
            const float *from = bw_field_tile(&before->u[a], slot);
            for (int c = 0; c < grid->tile_cells; c++)
                to[c] = bw_bit(grid->tiles[slot].live, c) ? to[c] : from[c];
        }
    }
}
