// The shapes of kernels. How particles lie around one is told by the moments of the cells around it: their
// volume, their centre and its spread. Kernels follow the spread, with the size of a particle added to it:
// where Yu and Turk (2013, eq. 11 to 15) bound the eigenvalues of the covariance, this needs none of them.
#include "mesh/kernels.h"

#include "base/extremes.h"
#include "mesh/tiles_around.h"

#include <math.h>
#include <string.h>

enum { TILE_CELLS = BW_TILE * BW_TILE * BW_TILE, MOMENTS = 10 };

// Sizes of kernels, in diameters of particles (the cube root of their volume): inside the liquid, and across
// what is one particle thick. The lattice at resolution 1 sees nothing narrower.
static const float widest = 2.5f, narrowest[BW_REFINE_MAX] = {2.0f, 1.5f, 1.5f, 1.5f};

// Cells: diameters of particles that kernels are made for. Larger ones would reach too far.
static const float diameter_max = 0.8f;

// The variance of places in full cells under the weights below, cells^2.
static const float full_variance = 1.0f / 4.0f + 1.0f / 12.0f;

typedef struct Job {
    BwKernels *kernels;
    const BwLattice *lattice;
} Job;

// The sums over a cell's particles of 1, x, y, z, xx, yy, zz, xy, xz, yz by volume, from the cell's centre.
static void add_moments(const BwNearParticle *particle, BwVec3 centre, float moments[MOMENTS])
{
    BwVec3 at = bw_sub(particle->place, centre);
    float v = particle->volume;
    const float terms[MOMENTS] = {1.0f,        at.x,        at.y,        at.z,        at.x * at.x,
                                  at.y * at.y, at.z * at.z, at.x * at.y, at.x * at.z, at.y * at.z};
    for (int n = 0; n < MOMENTS; n++)
        moments[n] += v * terms[n];
}

static BwVec3 tile_start(const Job *job, BwTileCoord tile)
{
    const int32_t *anchor = job->lattice->anchor;
    return bw_vec3((float)(BW_TILE * (tile.x - anchor[0])), (float)(BW_TILE * (tile.y - anchor[1])),
                   (float)(BW_TILE * (tile.z - anchor[2])));
}

static BwVec3 cell_centre(BwVec3 start, int cell)
{
    return bw_add(
        start, bw_vec3((float)(cell & 7) + 0.5f, (float)(cell >> 3 & 7) + 0.5f, (float)(cell >> 6) + 0.5f));
}

static void moment_range(int64_t begin, int64_t end, int worker, void *context)
{
    (void)worker;
    const Job *job = context;
    const BwNearParticles *near = &job->kernels->near;
    memset(job->kernels->moments[begin * TILE_CELLS], 0,
           (size_t)((end - begin) * TILE_CELLS) * sizeof *job->kernels->moments);
    for (int64_t tile = begin; tile < end; tile++) {
        BwVec3 start = tile_start(job, near->tiles[tile]);
        for (int cell = 0; cell < TILE_CELLS; cell++) {
            int64_t at = tile * TILE_CELLS + cell;
            for (int32_t n = near->starts[at]; n < near->starts[at + 1]; n++)
                add_moments(&near->list[n], cell_centre(start, cell), job->kernels->moments[at]);
        }
    }
}

// Weights of the three cells around a place along an axis: the quadratic B-spline.
static void set_weights(float weight[3], float from_centre)
{
    float before = 0.5f - from_centre, after = 0.5f + from_centre;
    weight[0] = 0.5f * before * before;
    weight[2] = 0.5f * after * after;
    weight[1] = 1.0f - weight[0] - weight[2];
}

// The moments of the cells around a particle as seen from it, and itself alone.
static void gather_moments(const Job *job, const int32_t tiles[27], const BwNearParticle *particle,
                           BwVec3 centre, float sums[MOMENTS])
{
    float weights[3][3];
    BwVec3 from = bw_sub(particle->place, centre);
    for (int a = 0; a < 3; a++)
        set_weights(weights[a], bw_smaller(bw_larger(bw_component(from, a), -0.5f), 0.5f));
    memset(sums, 0, MOMENTS * sizeof *sums);
    for (int n = 0; n < 27; n++) {
        const int step[3] = {n % 3, n / 3 % 3, n / 9};
        int x = (particle->cell & 7) + step[0] + 7, y = (particle->cell >> 3 & 7) + step[1] + 7,
            z = (particle->cell >> 6) + step[2] + 7;
        int32_t tile = tiles[(x >> 3) + 3 * (y >> 3) + 9 * (z >> 3)];
        if (tile < 0)
            continue;
        const float *m =
            job->kernels->moments[(int64_t)tile * TILE_CELLS + (x & 7) + 8 * (y & 7) + 64 * (z & 7)];
        if (m[0] == 0.0f) // most are empty in spray
            continue;
        float w = weights[0][step[0]] * weights[1][step[1]] * weights[2][step[2]];
        float dx = (float)(step[0] - 1) - from.x, dy = (float)(step[1] - 1) - from.y,
              dz = (float)(step[2] - 1) - from.z;
        float sx = m[1] + dx * m[0], sy = m[2] + dy * m[0], sz = m[3] + dz * m[0];
        sums[0] += w * m[0];
        sums[1] += w * sx;
        sums[2] += w * sy;
        sums[3] += w * sz;
        sums[4] += w * (m[4] + dx * (m[1] + sx));
        sums[5] += w * (m[5] + dy * (m[2] + sy));
        sums[6] += w * (m[6] + dz * (m[3] + sz));
        sums[7] += w * (m[7] + dx * m[2] + dy * sx);
        sums[8] += w * (m[8] + dx * m[3] + dz * sx);
        sums[9] += w * (m[9] + dy * m[3] + dz * sy);
    }
    // Of itself it counts as much wherever in its cell it is.
    float own = weights[0][1] * weights[1][1] * weights[2][1];
    sums[0] += (0.75f * 0.75f * 0.75f - own) * particle->volume;
}

// What kernels are scaled by at each resolution, so that the mesh has the volume of the particles also where
// they lie thinner than kernels are wide and nodes are apart: single ones, threads, sheets of one layer, and
// a little more of them. Found by trial on such sets, on splashes and on dam breaks.
enum { GAINS = 5 };
static const float gains[BW_REFINE_MAX][GAINS] = {{7.0f, 3.5f, 1.7f, 1.2f, 1.0f},
                                                  {5.0f, 2.1f, 1.25f, 1.08f, 1.0f},
                                                  {2.5f, 1.7f, 1.1f, 1.06f, 1.0f},
                                                  {2.2f, 1.6f, 1.06f, 1.04f, 1.0f}};

// `mass` is the volume around a particle by the weights of cells, `diameter` the particle's.
static float gain_of(const float gain[GAINS], float mass, float diameter)
{
    const float marks[GAINS] = {0.42f * diameter * diameter * diameter, 0.5625f * diameter * diameter,
                                0.75f * diameter, 1.05f * diameter, 1.3f * diameter};
    if (mass >= marks[GAINS - 1])
        return gain[GAINS - 1];
    int n = mass >= marks[3] ? 3 : mass >= marks[2] ? 2 : mass >= marks[1] ? 1 : 0;
    float share = bw_larger(logf(mass / marks[n]) / logf(marks[n + 1] / marks[n]), 0.0f);
    return gain[n] + share * (gain[n + 1] - gain[n]);
}

// From the covariance of the kernel, of its rim, to its metric.
static void set_metric(BwKernel *kernel, const float s[6], float volume)
{
    float minors[3] = {s[1] * s[2] - s[5] * s[5], s[0] * s[2] - s[4] * s[4], s[0] * s[1] - s[3] * s[3]};
    float xy = s[4] * s[5] - s[3] * s[2], xz = s[3] * s[5] - s[4] * s[1], yz = s[3] * s[4] - s[5] * s[0];
    float det = s[0] * minors[0] + s[3] * xy + s[4] * xz, inverse = 1.0f / det;
    const float metric[6] = {minors[0] * inverse, minors[1] * inverse, minors[2] * inverse,
                             xy * inverse,        xz * inverse,        yz * inverse};
    memcpy(kernel->metric, metric, sizeof metric);
    for (int a = 0; a < 3; a++)
        kernel->reach[a] = bw_smaller(sqrtf(s[a]), (float)BW_NEAR_REACH);
    kernel->depth = sqrtf(det / bw_larger(bw_larger(minors[0], minors[1]), minors[2]));
    kernel->peak = 315.0f / (64.0f * 3.14159265f) * volume / sqrtf(det); // its integral is the volume
}

// How particles lie around one, in parts of how they lie inside the liquid; gives the volume around it. The
// fewer they are, the less they tell: single ones are round.
static float find_spread(const Job *job, const int32_t tiles[27], const BwNearParticle *particle,
                         BwVec3 centre, float diameter, float s[6])
{
    float sums[MOMENTS];
    gather_moments(job, tiles, particle, centre, sums);
    float x = sums[1] / sums[0], y = sums[2] / sums[0], z = sums[3] / sums[0];
    const float about[6] = {x * x, y * y, z * z, x * y, x * z, y * z};
    float share = bw_smaller(sums[0] / (0.75f * diameter), 1.0f) / full_variance;
    for (int a = 0; a < 6; a++)
        s[a] = share * (sums[4 + a] / sums[0] - about[a]);
    float most = bw_larger(bw_larger(s[0], s[1]), s[2]);
    for (int a = 0; a < 6 && most > 1.0f; a++)
        s[a] /= most;
    return sums[0];
}

static void make_kernel(const Job *job, const int32_t tiles[27], int32_t n, BwVec3 centre)
{
    const BwNearParticle *particle = &job->kernels->near.list[n];
    BwKernel *kernel = &job->kernels->list[n];
    int resolution = job->lattice->refine - 1;
    float diameter = bw_smaller(cbrtf(particle->volume), diameter_max), size = widest * diameter;
    float least = narrowest[resolution] * narrowest[resolution], floor = least / (widest * widest - least);
    float gain = 1.0f, s[6] = {1.0f, 1.0f, 1.0f, 0.0f, 0.0f, 0.0f};
    kernel->place = particle->place;
    if (!particle->is_deep) {
        float mass = find_spread(job, tiles, particle, centre, diameter, s);
        gain = gain_of(gains[resolution], mass, diameter);
    }
    float share = size * size / (1.0f + floor);
    for (int a = 0; a < 6; a++)
        s[a] = share * (s[a] + (a < 3 ? floor : 0.0f));
    set_metric(kernel, s, gain * particle->volume);
}

static void kernel_range(int64_t begin, int64_t end, int worker, void *context)
{
    (void)worker;
    const Job *job = context;
    const BwNearParticles *near = &job->kernels->near;
    for (int64_t tile = begin; tile < end; tile++) {
        int32_t around[27];
        BwVec3 start = tile_start(job, near->tiles[tile]);
        bw_tiles_around_in(near->tiles, (int32_t)near->tile_count, near->tiles[tile], around);
        for (int32_t n = near->starts[tile * TILE_CELLS]; n < near->starts[(tile + 1) * TILE_CELLS]; n++)
            if (near->list[n].flips == 0)
                make_kernel(job, around, n, cell_centre(start, near->list[n].cell));
    }
}

// Images have the kernels of their particles, seen in the mirror.
static void image_range(int64_t begin, int64_t end, int worker, void *context)
{
    (void)worker;
    const Job *job = context;
    const BwNearParticles *near = &job->kernels->near;
    for (int64_t n = begin; n < end; n++) {
        unsigned flips = near->list[n].flips;
        if (flips == 0)
            continue;
        BwKernel *kernel = &job->kernels->list[n];
        *kernel = job->kernels->list[near->rank[near->list[n].source]];
        kernel->place = near->list[n].place;
        for (int a = 0; a < 3; a++) { // of xy, xz and yz
            int first = a == 2 ? 1 : 0, second = a == 0 ? 1 : 2;
            bool is_flipped = (flips >> first ^ flips >> second) & 1;
            kernel->metric[3 + a] = is_flipped ? -kernel->metric[3 + a] : kernel->metric[3 + a];
        }
    }
}

BwResult bw_kernels_set(BwKernels *kernels, const BwLevel *level, const BwWetCells *wet,
                        const BwThinLiquid *thin, BwPool *pool, BwError *err)
{
    Job job = {kernels, level->lattice};
    BwNearParticles *near = &kernels->near;
    near->allocator = kernels->allocator;
    BW_TRY(bw_near_particles_set(near, level, wet, thin, pool, err));
    BW_TRY(bw_reserve(&kernels->allocator, (void **)&kernels->list, &kernels->list_capacity, near->count,
                      sizeof *kernels->list, err));
    BW_TRY(bw_reserve(&kernels->allocator, (void **)&kernels->moments, &kernels->moment_capacity,
                      near->tile_count * TILE_CELLS, sizeof *kernels->moments, err));
    bw_parallel_for(pool, near->tile_count, 4, moment_range, &job);
    bw_parallel_for(pool, near->tile_count, 4, kernel_range, &job);
    bw_parallel_for(pool, near->count, 4096, image_range, &job);
    return BW_OK;
}

void bw_kernels_free(BwKernels *kernels)
{
    const BwAllocator *allocator = &kernels->allocator;
    bw_near_particles_free(&kernels->near);
    bw_free(allocator, kernels->list, (size_t)kernels->list_capacity * sizeof *kernels->list, BW_ALIGN);
    bw_free(allocator, kernels->moments, (size_t)kernels->moment_capacity * sizeof *kernels->moments,
            BW_ALIGN);
    *kernels = (BwKernels){.allocator = kernels->allocator};
}
