// Faces take the slope of phi over them for the normal, which is of length one where phi is a distance.
#include "operate/level_grow.h"

#include "base/extremes.h"
#include "domain/measure.h"

#include <math.h>

typedef struct Job {
    const BwField *phi, *label;
    const float *speeds; // m/s, by label
    const BwDomain *domain;
    const BwGrid *grid;
    BwVelocity *velocity;
    float band;
} Job;

static void grow_range(int64_t begin, int64_t end, int worker, void *context)
{
    (void)worker;
    const Job *job = context;
    const BwGrid *grid = job->grid;
    for (int64_t m = begin; m < end; m++)
        for (int a = 0; a < grid->dimension; a++) {
            int32_t slot = grid->order[m];
            float *u = bw_field_tile(&job->velocity->u[a], slot);
            const float *phi = bw_field_tile(job->phi, slot), *labels = bw_field_tile(job->label, slot);
            for (int n = 0; n < grid->tile_cells; n++) {
                uint64_t live =
                    grid->tiles[slot].live[n >> 6] & bw_bits_beside(grid, NULL, slot, 2 * a, n >> 6);
                int region = (int)labels[n];
                if (fabsf(phi[n]) < job->band && (live >> (n & 63) & 1) && region >= 0)
                    u[n] += job->speeds[region] * (phi[n] - bw_value_beside(job->phi, slot, n, 2 * a)) /
                            grid->cell_size;
            }
        }
}

// m/s, that a region's surface is to grow by: what it lacks, and against what blows it up or down. That is an
// estimate, so that as much may also be mended later.
static float grow_region(BwLevelRegion *region, const BwLevelGrowth *growth)
{
    if (!(region->area > 0.0))
        return 0.0f;
    double blown = region->blown / region->area * growth->dt,
           lacks = growth->share * (region->target - region->volume) / region->area,
           most = fmax(growth->most, fabs(blown)), grown = fmax(fmin(lacks, most), -most);
    region->got += grown * region->area;
    return (float)((grown - blown) / growth->dt);
}

BwResult bw_level_grow(BwVelocity *velocity, const BwField *phi, const BwDomain *domain,
                       BwLevelRegions *regions, const BwLevelGrowth *growth, BwError *err)
{
    size_t bytes = (size_t)(regions->count + 1) * sizeof(float);
    float *speeds = bw_alloc(&regions->allocator, bytes, BW_ALIGN);
    if (speeds == NULL)
        return bw_fail_memory(err);
    for (int32_t n = 0; n < regions->count; n++) {
        double before = regions->list[n].got;
        speeds[n] = grow_region(&regions->list[n], growth);
        regions->given_back += regions->list[n].got - before;
    }
    Job job = {.phi = phi,
               .label = &regions->label,
               .speeds = speeds,
               .domain = domain,
               .grid = domain->grid,
               .velocity = velocity,
               .band = growth->band};
    bw_parallel_for(domain->pool, domain->grid->tile_count, 16, grow_range, &job);
    bw_free(&regions->allocator, speeds, bytes, BW_ALIGN);
    return BW_OK;
}
