// Sums in the order of particles, tile by tile.
#include "particle/particle_heat.h"

#include <string.h>

BwResult bw_cell_heat_create(BwCellHeat *heat, BwGrid *grid, BwHeatLaw law, float ambient, BwError *err)
{
    *heat = (BwCellHeat){.law = law};
    BW_TRY(bw_mask_create(&heat->cells, grid, err));
    BW_TRY(bw_field_create(&heat->share, grid, BW_AT_CELL, 0.0f, err));
    return bw_field_create(&heat->temperature, grid, BW_AT_CELL, ambient, err);
}

void bw_cell_heat_destroy(BwCellHeat *heat)
{
    bw_mask_destroy(&heat->cells);
    bw_field_destroy(&heat->share);
    bw_field_destroy(&heat->temperature);
}

typedef struct CollectJob {
    BwCellHeat *heat;
    const BwParticles *particles;
    float unit;
} CollectJob;

static void collect_tile(const CollectJob *job, int32_t slot)
{
    const BwParticles *particles = job->particles;
    const float *volume = particles->column[BW_PARTICLE_VOLUME],
                *temperature = particles->column[BW_PARTICLE_TEMPERATURE];
    int cells = particles->grid->tile_cells;
    uint64_t *has = bw_mask_tile(&job->heat->cells, slot);
    float *share = bw_field_tile(&job->heat->share, slot),
          *mean = bw_field_tile(&job->heat->temperature, slot);
    float sum[BW_TILE_CELLS_MAX] = {0.0f};
    BwParticleRange range = bw_particle_range(particles, slot);
    memset(has, 0, (size_t)particles->grid->layers * sizeof *has);
    memset(share, 0, (size_t)cells * sizeof *share);
    for (int64_t n = range.begin; n < range.end; n++) {
        int cell = bw_particle_cell(particles, n);
        share[cell] += volume[n];
        sum[cell] += volume[n] * bw_heat_of_temperature(&job->heat->law, temperature[n]);
    }
    for (int cell = 0; cell < cells; cell++) {
        bool is_there = share[cell] > 0.0f;
        has[cell >> 6] |= (uint64_t)is_there << (cell & 63);
        mean[cell] = is_there ? bw_temperature_of_heat(&job->heat->law, sum[cell] / share[cell])
                              : bw_field_background(&job->heat->temperature);
        share[cell] *= job->unit;
    }
}

static void collect_range(int64_t begin, int64_t end, int worker, void *context)
{
    (void)worker;
    const CollectJob *job = context;
    for (int64_t m = begin; m < end; m++)
        collect_tile(job, job->particles->grid->order[m]);
}

void bw_cell_heat_collect(BwCellHeat *heat, const BwParticles *particles, float unit)
{
    CollectJob job = {heat, particles, unit};
    bw_parallel_for(particles->pool, particles->grid->tile_count, 8, collect_range, &job);
}

typedef struct GiveJob {
    const BwCellHeat *heat;
    const BwField *gain;
    float alike;
    BwParticles *particles;
} GiveJob;

static void give_range(int64_t begin, int64_t end, int worker, void *context)
{
    (void)worker;
    const GiveJob *job = context;
    const BwHeatLaw *law = &job->heat->law;
    float *temperature = job->particles->column[BW_PARTICLE_TEMPERATURE];
    for (int64_t m = begin; m < end; m++) {
        int32_t slot = job->particles->grid->order[m];
        const float *gain = bw_field_tile(job->gain, slot),
                    *mean = bw_field_tile(&job->heat->temperature, slot);
        BwParticleRange range = bw_particle_range(job->particles, slot);
        for (int64_t n = range.begin; n < range.end; n++) {
            int cell = bw_particle_cell(job->particles, n);
            float own = bw_heat_of_temperature(law, temperature[n]),
                  all = bw_heat_of_temperature(law, mean[cell]);
            temperature[n] = bw_temperature_of_heat(law, own + job->alike * (all - own) + gain[cell]);
        }
    }
}

void bw_cell_heat_give(const BwCellHeat *heat, const BwField *gain, float alike, BwParticles *particles)
{
    GiveJob job = {heat, gain, alike, particles};
    bw_parallel_for(particles->pool, particles->grid->tile_count, 8, give_range, &job);
}

typedef struct SumJob {
    const BwParticles *particles;
    const BwHeatLaw *law;
    float above;
} SumJob;

static double sum_range(int64_t begin, int64_t end, int worker, void *context)
{
    (void)worker;
    const SumJob *job = context;
    double sum = 0.0, none = (double)bw_heat_of_temperature(job->law, job->above);
    for (int64_t n = begin; n < end; n++)
        sum += (double)job->particles->column[BW_PARTICLE_VOLUME][n] *
               ((double)bw_heat_of_temperature(job->law, job->particles->column[BW_PARTICLE_TEMPERATURE][n]) -
                none);
    return sum;
}

double bw_particles_heat(const BwParticles *particles, const BwHeatLaw *law, float above)
{
    SumJob job = {particles, law, above};
    return bw_parallel_sum(particles->pool, particles->count, 4096, sum_range, &job);
}
