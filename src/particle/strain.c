// Strain of particles to the grid, and the velocity's gradient back to them.
#include "particle/strain.h"

#include <math.h>

// Less weight than this tells nothing.
static const float weight_min = 1e-6f;

typedef struct Job {
    const BwParticles *particles;
    const BwPadded *sums, *strain, *rate;
    float unit, dt;
    BwYield yield;
} Job;

// Samples around a place: the lattice of cell centres, or of edges along an axis.
typedef struct Corners {
    int count, sample[8];
    float weight[8];
    float known; // how much of the weight has a rate
} Corners;

// Those that a rate is known at, with their shares of the particle. `edge` is the axis of the edges, -1 for
// cell centres.
static Corners corners_of(const Job *job, int32_t slot, int64_t n, int edge)
{
    const BwParticles *particles = job->particles;
    const float *known = bw_padded_values(job->rate, slot, BW_STRAIN_EDGE_WEIGHT + edge);
    Corners corners = {.count = 1, .weight = {1.0f}};
    for (int a = 0; a < particles->grid->dimension; a++) {
        float at = particles->column[BW_PARTICLE_X + a][n] + 1.0f - (edge < 0 || edge == a ? 0.5f : 0.0f);
        int low = at > 0.0f ? (int)at : 0;
        low = low < BW_PADDED_SIDE - 2 ? low : BW_PADDED_SIDE - 2;
        float part = fminf(fmaxf(at - (float)low, 0.0f), 1.0f);
        for (int c = 0; c < corners.count; c++) {
            corners.sample[c] += low * bw_padded_stride[a];
            corners.sample[c + corners.count] = corners.sample[c] + bw_padded_stride[a];
            corners.weight[c + corners.count] = corners.weight[c] * part;
            corners.weight[c] *= 1.0f - part;
        }
        corners.count *= 2;
    }
    for (int c = 0; c < corners.count; c++)
        corners.known += corners.weight[c] *= known[corners.sample[c]];
    for (int c = 0; c < corners.count; c++)
        corners.weight[c] = corners.known > weight_min ? corners.weight[c] / corners.known : 0.0f;
    return corners;
}

// Adds what a particle has in the columns that stand at one lattice of samples.
static void add_particle(const Job *job, int32_t slot, int64_t n, int edge)
{
    const BwParticles *particles = job->particles;
    Corners corners = corners_of(job, slot, n, edge);
    int first = edge < 0 ? 0 : BW_STRAIN_SHEAR + edge,
        last = edge < 0 ? particles->grid->dimension - 1 : first;
    float volume = job->unit * particles->column[BW_PARTICLE_VOLUME][n];
    for (int value = first; value <= last; value++) {
        float *sums = bw_padded_values(job->sums, slot, value);
        float strain = volume * particles->column[BW_PARTICLE_EXX + value][n];
        for (int c = 0; c < corners.count; c++)
            sums[corners.sample[c]] += strain * corners.weight[c];
    }
}

static void scatter_range(int64_t begin, int64_t end, int worker, void *context)
{
    (void)worker;
    const Job *job = context;
    const BwGrid *grid = job->particles->grid;
    for (int64_t m = begin; m < end; m++) {
        int32_t slot = grid->order[m];
        BwParticleRange range = bw_particle_range(job->particles, slot);
        bw_padded_clear_tile(job->sums, slot);
        for (int64_t n = range.begin; n < range.end; n++)
            for (int edge = -1; edge < 3; edge++)
                if (edge < 0 || edge == 2 || grid->dimension == 3)
                    add_particle(job, slot, n, edge);
    }
}

void bw_strain_to_grid(const BwParticles *particles, float unit, const BwPadded *rate, const BwPadded *sums,
                       const BwPadded *strain)
{
    Job job = {.particles = particles, .sums = sums, .strain = strain, .rate = rate, .unit = unit};
    bw_parallel_for(particles->pool, particles->grid->tile_count, 4, scatter_range, &job);
    bw_padded_add_up(sums, strain, BW_STRAIN_COMPONENTS, particles->pool);
}

// A value of the rate at a particle.
static float mean_of(const Job *job, int32_t slot, const Corners *corners, int value)
{
    const float *rate = bw_padded_values(job->rate, slot, value);
    float sum = 0.0f;
    for (int c = 0; c < corners->count; c++)
        sum += corners->weight[c] * rate[corners->sample[c]];
    return sum;
}

// The rate at a particle. What has come off the liquid knows nothing of shear.
static BwStretchRate rate_at(const Job *job, int32_t slot, int64_t n)
{
    int axes = job->particles->grid->dimension;
    BwStretchRate rate = {.is_whole = true};
    Corners cells = corners_of(job, slot, n, -1);
    for (int a = 0; a < axes; a++)
        rate.diagonal[a] = mean_of(job, slot, &cells, a);
    for (int e = axes == 3 ? 0 : 2; e < 3; e++) {
        Corners edges = corners_of(job, slot, n, e);
        rate.is_whole &= edges.known > weight_min;
        rate.shear[e] = mean_of(job, slot, &edges, BW_STRAIN_SHEAR + e);
        rate.spin[e] = mean_of(job, slot, &edges, BW_STRAIN_SPIN + e);
    }
    return rate;
}

static void advance_particle(const Job *job, int32_t slot, int64_t n)
{
    const BwParticles *particles = job->particles;
    float strain[BW_STRAIN_COMPONENTS] = {0.0f};
    BwStretchRate rate = rate_at(job, slot, n);
    for (int c = 0; c < BW_STRAIN_COMPONENTS; c++)
        if (bw_particles_have(particles, BW_PARTICLE_EXX + c))
            strain[c] = particles->column[BW_PARTICLE_EXX + c][n];
    bw_strain_step(strain, particles->grid->dimension, &rate, job->dt, job->yield);
    for (int c = 0; c < BW_STRAIN_COMPONENTS; c++)
        if (bw_particles_have(particles, BW_PARTICLE_EXX + c))
            particles->column[BW_PARTICLE_EXX + c][n] = strain[c];
}

static void advance_range(int64_t begin, int64_t end, int worker, void *context)
{
    (void)worker;
    const Job *job = context;
    for (int64_t m = begin; m < end; m++) {
        int32_t slot = job->particles->grid->order[m];
        BwParticleRange range = bw_particle_range(job->particles, slot);
        for (int64_t n = range.begin; n < range.end; n++)
            advance_particle(job, slot, n);
    }
}

void bw_strain_advance(BwParticles *particles, const BwPadded *rate, float dt, BwYield yield)
{
    Job job = {.particles = particles, .rate = rate, .dt = dt, .yield = yield};
    bw_parallel_for(particles->pool, particles->grid->tile_count, 4, advance_range, &job);
}

static double energy_range(int64_t begin, int64_t end, int worker, void *context)
{
    (void)worker;
    const BwParticles *particles = context;
    double sum = 0.0;
    for (int64_t n = begin; n < end; n++)
        for (int a = 0; a < particles->grid->dimension; a++)
            sum += (double)particles->column[BW_PARTICLE_VOLUME][n] *
                   (double)particles->column[BW_PARTICLE_EXX + a][n];
    return sum;
}

double bw_strain_energy(const BwParticles *particles)
{
    return bw_parallel_sum(particles->pool, particles->count, 4096, energy_range, (void *)particles);
}
