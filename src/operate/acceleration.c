// Sums of velocities, tile by tile.
#include "operate/acceleration.h"

typedef struct Job {
    const BwDomain *domain;
    const BwVelocity *from;
    BwVelocity *to;
    float scale_to, scale_from;
} Job;

// to = scale_to to + scale_from from
static void blend_range(int64_t begin, int64_t end, int worker, void *context)
{
    (void)worker;
    const Job *job = context;
    const BwGrid *grid = job->domain->grid;
    for (int64_t m = begin; m < end; m++)
        for (int a = 0; a < grid->dimension; a++) {
            const float *restrict from = bw_field_tile(&job->from->u[a], grid->order[m]);
            float *restrict to = bw_field_tile(&job->to->u[a], grid->order[m]);
            for (int n = 0; n < grid->tile_cells; n++)
                to[n] = job->scale_to * to[n] + job->scale_from * from[n];
        }
}

static void blend(const BwDomain *domain, BwVelocity *to, float scale_to, const BwVelocity *from,
                  float scale_from)
{
    Job job = {domain, from, to, scale_to, scale_from};
    bw_parallel_for(domain->pool, domain->grid->tile_count, 64, blend_range, &job);
}

void bw_acceleration_begin(const BwDomain *domain, BwVelocity *acceleration, const BwVelocity *velocity)
{
    blend(domain, acceleration, 0.0f, velocity, 1.0f);
}

void bw_acceleration_end(const BwDomain *domain, BwVelocity *acceleration, const BwVelocity *velocity,
                         float dt)
{
    blend(domain, acceleration, -1.0f / dt, velocity, 1.0f / dt);
}

void bw_acceleration_apply(const BwDomain *domain, const BwVelocity *acceleration, BwVelocity *velocity,
                           float dt)
{
    blend(domain, velocity, 1.0f, acceleration, dt);
}
