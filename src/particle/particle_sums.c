// What all particles make together.
#include "particle/particle_sums.h"

#include "base/extremes.h"
#include "grid/lanes.h"

#include <math.h>

enum { GRAIN = 1 << 14 };

static float square_of(const BwParticles *particles, int64_t n)
{
    float square = 0.0f;
    for (int a = 0; a < particles->grid->dimension; a++) {
        float u = particles->column[BW_PARTICLE_U + a][n];
        square += u * u;
    }
    return square;
}

static double volume_range(int64_t begin, int64_t end, int worker, void *context)
{
    (void)worker;
    const BwParticles *particles = context;
    double sum = 0.0;
    for (int64_t n = begin; n < end; n++)
        sum += (double)particles->column[BW_PARTICLE_VOLUME][n];
    return sum;
}

static double energy_range(int64_t begin, int64_t end, int worker, void *context)
{
    (void)worker;
    const BwParticles *particles = context;
    double sum = 0.0;
    for (int64_t n = begin; n < end; n++)
        sum += 0.5 * (double)(particles->column[BW_PARTICLE_VOLUME][n] * square_of(particles, n));
    return sum;
}

// The same for speeds past 1.8e19 m/s, whose squares are no floats.
static double huge_speed(const BwParticles *particles, int64_t begin, int64_t end)
{
    double most = 0.0;
    for (int64_t n = begin; n < end; n++) {
        double square = 0.0;
        for (int a = 0; a < particles->grid->dimension; a++) {
            double u = (double)particles->column[BW_PARTICLE_U + a][n];
            square += u * u;
        }
        most = square > most ? square : most;
    }
    return (double)bw_speed_of_square(most);
}

static double speed_range(int64_t begin, int64_t end, int worker, void *context)
{
    (void)worker;
    const BwParticles *particles = context;
    BwLanes most = {0};
    for (int64_t n = begin; n < end; n += BW_LANES) {
        BwLanes square = {0};
        for (int a = 0; a < particles->grid->dimension; a++) {
            BwLanes u = bw_lanes_load_some(particles->column[BW_PARTICLE_U + a] + n,
                                           end - n < BW_LANES ? (int)(end - n) : BW_LANES);
            square += u * u;
        }
        most = bw_lanes_larger(square, most);
    }
    float square = 0.0f;
    for (int lane = 0; lane < BW_LANES; lane++)
        square = bw_larger(most[lane], square);
    return isinf(square) ? huge_speed(particles, begin, end) : (double)sqrtf(square);
}

double bw_particles_volume(const BwParticles *particles)
{
    return bw_parallel_sum(particles->pool, particles->count, GRAIN, volume_range,
                           (void *)(uintptr_t)particles);
}

typedef struct Above {
    const BwParticles *particles;
    float square; // of the speed
} Above;

static double above_range(int64_t begin, int64_t end, int worker, void *context)
{
    (void)worker;
    const Above *above = context;
    double sum = 0.0;
    for (int64_t n = begin; n < end; n++)
        if (square_of(above->particles, n) > above->square)
            sum += (double)above->particles->column[BW_PARTICLE_VOLUME][n];
    return sum;
}

double bw_particles_volume_above(const BwParticles *particles, float speed)
{
    Above above = {particles, speed * speed};
    return bw_parallel_sum(particles->pool, particles->count, GRAIN, above_range, &above);
}

double bw_particles_kinetic_energy(const BwParticles *particles)
{
    return bw_parallel_sum(particles->pool, particles->count, GRAIN, energy_range,
                           (void *)(uintptr_t)particles);
}

float bw_particles_max_speed(const BwParticles *particles)
{
    if (particles->count == 0)
        return 0.0f;
    return (float)bw_parallel_max(particles->pool, particles->count, GRAIN, speed_range,
                                  (void *)(uintptr_t)particles);
}

// A number less itself is 0, or not a number where it was not finite.
static bool is_finite(const float *values, int64_t begin, int64_t end)
{
    float sum[16] = {0.0f};
    int64_t n = begin;
    for (; n + 16 <= end; n += 16)
        for (int lane = 0; lane < 16; lane++)
            sum[lane] += values[n + lane] - values[n + lane];
    for (; n < end; n++)
        sum[0] += values[n] - values[n];
    float all = 0.0f;
    for (int lane = 0; lane < 16; lane++)
        all += sum[lane];
    return all == 0.0f;
}

// The first bad one of a block, as a negative number, so that the largest is the first.
static double bad_range(int64_t begin, int64_t end, int worker, void *context)
{
    (void)worker;
    const BwParticles *particles = context;
    double first = -INFINITY;
    for (int c = 0; c < BW_PARTICLE_COLUMNS; c++) {
        if (bw_particle_is_whole(c) || !bw_particles_have(particles, c) ||
            is_finite(particles->column[c], begin, end))
            continue;
        int64_t n = begin;
        while (isfinite(particles->column[c][n]))
            n++;
        first = fmax(first, -(double)n);
    }
    return first;
}

int64_t bw_particles_find_bad(const BwParticles *particles)
{
    double found = particles->count == 0 ? -INFINITY
                                         : bw_parallel_max(particles->pool, particles->count, GRAIN,
                                                           bad_range, (void *)(uintptr_t)particles);
    return isinf(found) ? -1 : (int64_t)-found;
}
