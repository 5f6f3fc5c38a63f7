// Places are those of Roberts 2018, The Unreasonable Effectiveness of Quasirandom Sequences: multiples of
// powers of the number g for which g^(d + 1) = g + 1, in d dimensions, spread evenly however many there are.
#include "particle/redistribute.h"

static const double powers[2][3] = {{0.7548776662466927, 0.5698402909980532, 0.0},
                                    {0.8191725133961645, 0.6710436067037893, 0.5497004779019703}};

typedef struct Job {
    BwParticles *particles;
    const BwField *open;
    float unit, most;
} Job;

// Those of one cell, from `begin` on, and what they fill of it.
static int64_t end_of_cell(const BwParticles *particles, int64_t begin, int64_t end, float *volume)
{
    int cell = bw_particle_cell(particles, begin);
    int64_t n = begin;
    *volume = 0.0f;
    while (n < end && bw_particle_cell(particles, n) == cell)
        *volume += particles->column[BW_PARTICLE_VOLUME][n++];
    return n;
}

static void redistribute_cell(BwParticles *particles, int64_t begin, int64_t end)
{
    int axes = particles->grid->dimension, cell = bw_particle_cell(particles, begin);
    for (int64_t n = begin; n < end; n++)
        for (int a = 0; a < axes; a++) {
            double turns = 0.5 + (double)(n - begin) * powers[axes - 2][a];
            particles->column[BW_PARTICLE_X + a][n] =
                bw_particle_place(cell, a, (float)(turns - floor(turns)));
        }
}

static void redistribute_range(int64_t begin, int64_t end, int worker, void *context)
{
    (void)worker;
    const Job *job = context;
    for (int64_t m = begin; m < end; m++) {
        int32_t slot = job->particles->grid->order[m];
        BwParticleRange tile = bw_particle_range(job->particles, slot);
        const float *open = bw_field_tile(job->open, slot);
        for (int64_t n = tile.begin, next; n < tile.end; n = next) {
            float volume;
            next = end_of_cell(job->particles, n, tile.end, &volume);
            if (volume * job->unit > job->most && open[bw_particle_cell(job->particles, n)] >= 1.0f)
                redistribute_cell(job->particles, n, next);
        }
    }
}

void bw_particles_redistribute(BwParticles *particles, const BwField *open, float unit, float most)
{
    Job job = {particles, open, unit, most};
    bw_parallel_for(particles->pool, particles->grid->tile_count, 16, redistribute_range, &job);
}
