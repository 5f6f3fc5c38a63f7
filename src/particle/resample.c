// Splitting and merging as in Ando, Thuerey and Tsuruno 2012 (Preserving Fluid Sheets with Adaptively Sampled
// Anisotropic Particles), within a cell and no farther.
#include "particle/resample.h"

#include "particle/sort.h"

#include <math.h>

// Halves of a seeded particle are not split again: they would be dust.
static const float smallest_split = 0.75f;

// A merged particle stands for no more than this. Liquid that is pressed together for a moment keeps the
// particles that it spreads out with again.
static const float largest_merged = 2.0f;

// Larger crowds than this are left to the correction of their spacing.
enum { CROWD_MAX = 256 };

// Words of a tile's note in `moves`, which the sort has no use for in between.
enum { WORD_SPLIT, WORD_MERGED };

typedef struct Job {
    BwParticles *particles;
    const BwResampling *resampling;
} Job;

// The particles of one cell, from `begin` on.
static BwParticleRange cell_range(const BwParticles *particles, int64_t begin, int64_t end, int *cell)
{
    int64_t n = begin + 1;
    *cell = bw_particle_cell(particles, begin);
    while (n < end && bw_particle_cell(particles, n) == *cell)
        n++;
    return (BwParticleRange){begin, n};
}

static bool may_split(const BwParticles *particles, int64_t n)
{
    return particles->column[BW_PARTICLE_VOLUME][n] > smallest_split;
}

// How many of a cell's particles become two: all that may, where they are too few, the cell lies a cell
// inside the liquid and no solid takes a part of it.
static int count_split(const Job *job, int32_t slot, int cell, BwParticleRange range)
{
    const BwResampling *to = job->resampling;
    int splits = 0;
    if (range.end - range.begin >= to->fewest ||
        (to->whole != NULL && bw_bit(bw_mask_tile(to->whole, slot), cell)) ||
        bw_field_tile(to->phi, slot)[cell] > -job->particles->grid->cell_size ||
        bw_field_tile(to->open, slot)[cell] < 1.0f)
        return 0;
    for (int64_t n = range.begin; n < range.end; n++)
        splits += may_split(job->particles, n);
    return splits;
}

static int count_merged(const Job *job, BwParticleRange range)
{
    int64_t count = range.end - range.begin;
    return count > job->resampling->most && count <= CROWD_MAX ? (int)(count - job->resampling->most) : 0;
}

static void count_range(int64_t begin, int64_t end, int worker, void *context)
{
    (void)worker;
    const Job *job = context;
    for (int64_t m = begin; m < end; m++) {
        int32_t slot = job->particles->grid->order[m];
        BwParticleRange tile = bw_particle_range(job->particles, slot);
        uint64_t *note = bw_note(&job->particles->moves, slot);
        int cell;
        note[WORD_SPLIT] = note[WORD_MERGED] = 0;
        for (int64_t n = tile.begin; n < tile.end;) {
            BwParticleRange range = cell_range(job->particles, n, tile.end, &cell);
            note[WORD_SPLIT] += (uint64_t)count_split(job, slot, cell, range);
            note[WORD_MERGED] += (uint64_t)count_merged(job, range);
            n = range.end;
        }
    }
}

static void copy_particle(BwParticles *particles, int64_t from, int64_t to)
{
    for (int c = 0; c < BW_PARTICLE_COLUMNS; c++)
        if (particles->column[c] != NULL)
            particles->column[c][to] = particles->column[c][from];
}

// How far a particle's halves go from where it was along an axis, one towards the middle of the cell and the
// other as far away from it: half of what it is from the cell's end, so that both stay inside.
static float split_way(float at)
{
    float part = at - floorf(at);
    return part < 0.5f ? 0.5f * part : -0.5f * (1.0f - part);
}

// A particle becomes two of half its volume, one on either side of it, each with its velocity there. The
// second one is `number` of those that are added.
static void split(const Job *job, int32_t slot, int cell, int64_t n, int64_t number)
{
    BwParticles *particles = job->particles;
    int64_t other = particles->count + number;
    int axes = particles->grid->dimension;
    float way[3] = {0};
    particles->column[BW_PARTICLE_VOLUME][n] *= 0.5f;
    copy_particle(particles, n, other);
    bw_particle_ids(particles)[other] = particles->next_id + (int32_t)number;
    for (int a = 0; a < axes; a++) {
        way[a] = split_way(particles->column[BW_PARTICLE_X + a][n]);
        particles->column[BW_PARTICLE_X + a][n] -= way[a];
        particles->column[BW_PARTICLE_X + a][other] += way[a];
    }
    for (int a = 0; a < axes && particles->has_gradient; a++) {
        float change = 0.0f;
        for (int b = 0; b < axes; b++)
            change += particles->column[BW_PARTICLE_UX + 3 * a + b][n] * way[b];
        particles->column[BW_PARTICLE_U + a][n] -= change;
        particles->column[BW_PARTICLE_U + a][other] += change;
    }
    particles->cell[other] = (uint16_t)cell;
    particles->far[number] = (BwFarMove){slot, (int32_t)other};
}

static float distance_squared(const BwParticles *particles, int64_t one, int64_t other)
{
    float sum = 0.0f;
    for (int a = 0; a < particles->grid->dimension; a++) {
        float way = particles->column[BW_PARTICLE_X + a][one] - particles->column[BW_PARTICLE_X + a][other];
        sum += way * way;
    }
    return sum;
}

// Particles that have been merged into others have a volume below 0. The rest of a cell's close ranks; gives
// where they end.
static int64_t drop_merged(BwParticles *particles, BwParticleRange range)
{
    int64_t kept = range.begin;
    for (int64_t n = range.begin; n < range.end; n++) {
        if (particles->column[BW_PARTICLE_VOLUME][n] < 0.0f)
            continue;
        if (kept != n)
            copy_particle(particles, n, kept);
        kept++;
    }
    return kept;
}

// The nearest one of a cell's particles that each may be merged with, counted from the first, and how far it
// is; -1: none.
typedef struct Nearest {
    int index;
    float distance;
} Nearest;

static Nearest nearest_to(const BwParticles *particles, BwParticleRange range, int64_t own)
{
    const float *volume = particles->column[BW_PARTICLE_VOLUME];
    Nearest nearest = {-1, INFINITY};
    for (int64_t n = range.begin; n < range.end; n++) {
        if (n == own || volume[n] + volume[own] > largest_merged)
            continue;
        float distance = distance_squared(particles, n, own);
        if (distance < nearest.distance)
            nearest = (Nearest){(int)(n - range.begin), distance};
    }
    return nearest;
}

// Of the pairs whose particles are the nearest to one another, the closest: its second one, or -1.
static int closest_pair(const Nearest *nearest, int count)
{
    int best = -1;
    for (int n = 0; n < count; n++) {
        int other = nearest[n].index;
        if (other >= 0 && other < n && nearest[other].index == n &&
            (best < 0 || nearest[n].distance < nearest[best].distance))
            best = n;
    }
    return best;
}

// Adds a particle to another: the mean of all that they carry, by their volumes; the name and the source of
// the larger.
static void merge(BwParticles *particles, int64_t from, int64_t into)
{
    float *volume = particles->column[BW_PARTICLE_VOLUME];
    float sum = volume[from] + volume[into], part = sum > 0.0f ? volume[from] / sum : 0.5f;
    bool is_smaller = volume[from] > volume[into];
    for (int c = 0; c < BW_PARTICLE_COLUMNS; c++) {
        if (c == BW_PARTICLE_VOLUME || particles->column[c] == NULL)
            continue;
        if (!bw_particle_is_whole(c))
            particles->column[c][into] += part * (particles->column[c][from] - particles->column[c][into]);
        else if (is_smaller)
            particles->column[c][into] = particles->column[c][from];
    }
    volume[into] = sum;
}

// Merges the closest pairs of a cell's particles, as many as are too many, if they may be. Only pairs that
// are nearest to one another are, so that it does not matter in which order they stand. Gives where those
// that are left end.
static int64_t thin_out(const Job *job, BwParticleRange range)
{
    Nearest nearest[CROWD_MAX];
    BwParticles *particles = job->particles;
    int left = count_merged(job, range), count = (int)(range.end - range.begin);
    for (int n = 0; n < count && left > 0; n++)
        nearest[n] = nearest_to(particles, range, range.begin + n);
    for (; left > 0; left--) {
        int second = closest_pair(nearest, count);
        if (second < 0)
            break;
        int first = nearest[second].index;
        merge(particles, range.begin + second, range.begin + first);
        particles->column[BW_PARTICLE_VOLUME][range.begin + second] = -1.0f;
        nearest[first].index = nearest[second].index = -1;
    }
    return drop_merged(particles, range);
}

// Merges and splits a tile's particles. Those left close ranks: the next sort takes up what its range holds.
static void change_tile(const Job *job, int32_t slot, int64_t number)
{
    BwParticles *particles = job->particles;
    BwParticleRange tile = bw_particle_range(particles, slot);
    int64_t kept = tile.begin;
    for (int64_t begin = tile.begin; begin < tile.end;) {
        int cell;
        BwParticleRange range = cell_range(particles, begin, tile.end, &cell);
        int splits = count_split(job, slot, cell, range);
        int64_t end = thin_out(job, range);
        for (int64_t n = range.begin; splits > 0; n++)
            if (may_split(particles, n)) {
                split(job, slot, cell, n, number++);
                splits--;
            }
        for (int64_t n = range.begin; n < end; n++, kept++)
            if (kept != n)
                copy_particle(particles, n, kept);
        begin = range.end;
    }
    bw_particle_set_range(particles, slot, (BwParticleRange){tile.begin, kept});
}

static void change_range(int64_t begin, int64_t end, int worker, void *context)
{
    (void)worker;
    const Job *job = context;
    for (int64_t m = begin; m < end; m++) {
        int32_t slot = job->particles->grid->order[m];
        const uint64_t *note = bw_note(&job->particles->moves, slot);
        if (note[WORD_MERGED] > 0)
            change_tile(job, slot, (int64_t)note[WORD_SPLIT]);
    }
}

// From numbers of splits to where each tile's new particles begin; gives the number of all. A tile in which
// nothing is to do is told by its other word.
static int64_t add_up(BwParticles *particles, bool *has_changed)
{
    int64_t sum = 0;
    *has_changed = false;
    for (int32_t m = 0; m < particles->grid->tile_count; m++) {
        uint64_t *note = bw_note(&particles->moves, particles->grid->order[m]), here = note[WORD_SPLIT];
        note[WORD_MERGED] += here;
        note[WORD_SPLIT] = (uint64_t)sum;
        sum += (int64_t)here;
        *has_changed |= note[WORD_MERGED] > 0;
    }
    return sum;
}

BwResult bw_particles_resample(BwParticles *particles, const BwResampling *resampling, bool *has_changed,
                               BwError *err)
{
    Job job = {particles, resampling};
    bw_parallel_for(particles->pool, particles->grid->tile_count, 8, count_range, &job);
    int64_t added = add_up(particles, has_changed);
    BW_TRY(bw_particles_add_room(particles, added, err));
    bw_parallel_for(particles->pool, particles->grid->tile_count, 8, change_range, &job);
    particles->far_count = added;
    particles->next_id += (int32_t)added;
    return BW_OK;
}
