// Strain of particles to the grid, and the velocity's gradient back to them.
#include "particle/strain.h"

#include <math.h>

// Less weight than this tells nothing.
static const float weight_min = 1e-6f;

// The gradient of a step is no larger: liquid would be turned inside out.
static const float gradient_max = 0.9f;

// Liquid that is stretched farther has come apart: its particles are no longer neighbours on the grid.
static const double torn_strain = 2.0;

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

// f = 1 + dt grad u at a particle. Gives whether all of it is known: what has come off the liquid knows
// nothing of shear.
static bool find_stretch(const Job *job, int32_t slot, int64_t n, double f[3][3])
{
    const BwParticles *particles = job->particles;
    int axes = particles->grid->dimension;
    float step[3][3] = {{0.0f}}, most = 0.0f;
    bool is_known = true;
    Corners cells = corners_of(job, slot, n, -1);
    for (int a = 0; a < axes; a++)
        step[a][a] = job->dt * mean_of(job, slot, &cells, a);
    for (int e = axes == 3 ? 0 : 2; e < 3; e++) {
        int a = e == 0 ? 1 : 0, b = e == 2 ? 1 : 2;
        Corners edges = corners_of(job, slot, n, e);
        is_known &= edges.known > weight_min;
        float shear = job->dt * mean_of(job, slot, &edges, BW_STRAIN_SHEAR + e),
              spin = job->dt * mean_of(job, slot, &edges, BW_STRAIN_SPIN + e);
        step[a][b] = shear + spin;
        step[b][a] = shear - spin;
    }
    for (int a = 0; a < axes; a++)
        for (int b = 0; b < axes; b++)
            most = fmaxf(most, fabsf(step[a][b]));
    float part = most > gradient_max ? gradient_max / most : 1.0f;
    for (int a = 0; a < 3; a++)
        for (int b = 0; b < 3; b++)
            f[a][b] = (a == b ? 1.0 : 0.0) + (double)(part * step[a][b]);
    return is_known;
}

// Columns of the components of a symmetric tensor.
static const int column_of[3][3] = {{BW_PARTICLE_EXX, BW_PARTICLE_EXY, BW_PARTICLE_EXZ},
                                    {BW_PARTICLE_EXY, BW_PARTICLE_EYY, BW_PARTICLE_EYZ},
                                    {BW_PARTICLE_EXZ, BW_PARTICLE_EYZ, BW_PARTICLE_EZZ}};

// b to f b f'.
static void stretch(double b[3][3], const double f[3][3])
{
    double half[3][3];
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            half[i][j] = f[i][0] * b[0][j] + f[i][1] * b[1][j] + f[i][2] * b[2][j];
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            b[i][j] = half[i][0] * f[j][0] + half[i][1] * f[j][1] + half[i][2] * f[j][2];
}

// What makes the determinant 1: its power of -1 / axes, by Newton's method. In the plane b[2][2] is 1 and
// stays so.
static double unit_scale(double b[3][3], int axes)
{
    double det = b[0][0] * (b[1][1] * b[2][2] - b[1][2] * b[2][1]) -
                 b[0][1] * (b[1][0] * b[2][2] - b[1][2] * b[2][0]) +
                 b[0][2] * (b[1][0] * b[2][1] - b[1][1] * b[2][0]);
    if (!(det > 1e-3 && det < 1e3))
        return 1.0;
    if (axes == 2)
        return 1.0 / sqrt(det);
    double scale = det > 1.0 ? 1.0 / det : 1.0;
    for (int n = 0; n < 20; n++) {
        double excess = det * scale * scale * scale - 1.0;
        scale -= scale * excess / 3.0;
        if (fabs(excess) < 1e-8) // what is left is its square
            break;
    }
    return scale;
}

// What is above the yield fades.
static double kept_part(double b[3][3], BwYield yield)
{
    double sum = 0.0;
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) {
            double strain = 0.5 * (b[i][j] - (i == j ? 1.0 : 0.0));
            sum += strain * strain;
        }
    double norm = sqrt(sum), limit = (double)yield.strain;
    double kept = norm > limit ? limit + (norm - limit) * (double)yield.keep : norm;
    kept = fmin(kept, torn_strain);
    return norm > 0.0 ? kept / norm : 1.0;
}

static void advance_particle(const Job *job, int32_t slot, int64_t n)
{
    float *const *column = job->particles->column;
    int axes = job->particles->grid->dimension;
    double f[3][3], b[3][3] = {{1.0, 0.0, 0.0}, {0.0, 1.0, 0.0}, {0.0, 0.0, 1.0}};
    for (int i = 0; i < axes; i++)
        for (int j = 0; j < axes; j++)
            b[i][j] += 2.0 * (double)column[column_of[i][j]][n];
    bool is_whole = find_stretch(job, slot, n, f);
    stretch(b, f);
    double scale = unit_scale(b, axes);
    for (int i = 0; i < axes; i++)
        for (int j = 0; j < axes; j++)
            b[i][j] *= scale;
    double part = is_whole ? kept_part(b, job->yield) : 0.0;
    for (int i = 0; i < axes; i++)
        for (int j = i; j < axes; j++) {
            float strain = (float)(0.5 * part * (b[i][j] - (i == j ? 1.0 : 0.0)));
            column[column_of[i][j]][n] = fminf(fmaxf(strain, i == j ? -0.5f : -BW_STRAIN_MAX), BW_STRAIN_MAX);
        }
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
