// Correction is written as a gather: each tile looks through the particles around for those that have escaped
// near its cells. The largest and the smallest of what they say do not depend on the order.
#include "particle/level_particles.h"

#include "base/extremes.h"
#include "grid/block.h"
#include "particle/random_place.h"
#include "particle/sort.h"

#include <math.h>
#include <string.h>

// Radii, in cells.
static const float radius_min = 0.1f, radius_max = 0.5f;

// What phi changes by when it is changed on purpose, in cells, at least.
static const float changed_min = 1e-3f;

typedef struct Job {
    BwParticles *particles;
    const BwField *phi;
    BwField *corrected;
    const BwLevelSeeding *seeding;
    const BwVelocity *velocity;
    float cells_per_speed; // dt / h
} Job;

// The samples beside a place along each axis, in a block: of those on faces that the axis is normal to, and
// of those half a cell on; and how far past the low one the place is.
typedef struct Beside {
    int low[3][2];
    float part[3][2];
} Beside;

static inline Beside find_beside(const float place[3], int axes)
{
    Beside beside = {0};
    for (int a = 0; a < axes; a++)
        for (int half = 0; half < 2; half++) {
            float at = place[a] - 0.5f * (float)half + (float)BW_HALO;
            at = bw_smaller(bw_larger(at, 0.0f), (float)BW_BLOCK - 1.001f);
            beside.low[a][half] = (int)at;
            beside.part[a][half] = at - (float)beside.low[a][half];
        }
    return beside;
}

static inline float mix(float a, float b, float part)
{
    return a + (b - a) * part;
}

static inline float mix_square(const float *at, float x, float y)
{
    return mix(mix(at[0], at[1], x), mix(at[BW_BLOCK], at[BW_BLOCK + 1], x), y);
}

// What a block has there: of samples on faces normal to an axis, or in cells for an axis of 3.
static inline float interpolate(const float *block, const Beside *beside, int axes, int normal)
{
    int x = normal != 0, y = normal != 1, z = normal != 2;
    const float *at = block + beside->low[0][x] + BW_BLOCK * beside->low[1][y];
    float flat_x = beside->part[0][x], flat_y = beside->part[1][y];
    if (axes == 2)
        return mix_square(at, flat_x, flat_y);
    at += BW_BLOCK_LAYER * beside->low[2][z];
    return mix(mix_square(at, flat_x, flat_y), mix_square(at + BW_BLOCK_LAYER, flat_x, flat_y),
               beside->part[2][z]);
}

// phi there, in cells, of a block of it.
static float phi_at(const BwGrid *grid, const float *block, const float place[3])
{
    Beside beside = find_beside(place, grid->dimension);
    return interpolate(block, &beside, grid->dimension, 3) / grid->cell_size;
}

static void place_of(const BwParticles *particles, int64_t n, float place[3])
{
    place[2] = 0.0f;
    for (int a = 0; a < particles->grid->dimension; a++)
        place[a] = particles->column[BW_PARTICLE_X + a][n];
}

// A particle has escaped when it is on the wrong side by more than its radius.
static bool has_escaped(float radius, float phi_cells)
{
    return copysignf(1.0f, radius) * phi_cells < -fabsf(radius);
}

static float radius_at(float sign, float phi_cells)
{
    return copysignf(bw_smaller(bw_larger(sign * phi_cells, radius_min), radius_max), sign);
}

// Looks up phi at the particles of a tile, in cells, and lists those that have escaped from the tile's first
// place on, in scratch memory of the sort; its note has their number.
static void look_up_range(int64_t begin, int64_t end, int worker, void *context)
{
    (void)worker;
    const Job *job = context;
    const BwParticles *particles = job->particles;
    const BwGrid *grid = particles->grid;
    for (int64_t m = begin; m < end; m++) {
        float block[BW_BLOCK_CELLS], place[3];
        BwParticleRange range = bw_particle_range(particles, grid->order[m]);
        uint64_t escaped = 0;
        if (range.end > range.begin)
            bw_block_gather(job->phi, grid->order[m], block);
        for (int64_t n = range.begin; n < range.end; n++) {
            place_of(particles, n, place);
            float phi = phi_at(grid, block, place);
            particles->column[BW_PARTICLE_U][n] = phi;
            if (has_escaped(particles->column[BW_PARTICLE_VOLUME][n], phi))
                particles->list[range.begin + (int64_t)escaped++] = (int32_t)n;
        }
        bw_note(&particles->moves, grid->order[m])[0] = escaped;
    }
}

static void look_up(Job *job)
{
    bw_parallel_for(job->particles->pool, job->particles->grid->tile_count, 4, look_up_range, job);
}

// phi of a tile as escaped particles outside and inside have it, in cells.
typedef struct Views {
    float outside[BW_TILE_CELLS_MAX], inside[BW_TILE_CELLS_MAX];
} Views;

// What one particle says to the cells whose centres are around it, of those of the tile; its place counts
// from the tile.
static void tell(const BwGrid *grid, const float place[3], float radius, Views *views)
{
    int low[3] = {0};
    for (int a = 0; a < grid->dimension; a++)
        low[a] = (int)floorf(place[a] - 0.5f);
    for (int corner = 0; corner < 1 << grid->dimension; corner++) {
        float square = 0.0f;
        int cell = 0;
        bool is_own = true;
        for (int a = 0; a < grid->dimension; a++) {
            int at = low[a] + (corner >> a & 1);
            float way = (float)at + 0.5f - place[a];
            is_own &= at >= 0 && at < BW_TILE;
            square += way * way;
            cell += at * (1 << (3 * a));
        }
        if (!is_own)
            continue;
        float said = copysignf(1.0f, radius) * (fabsf(radius) - sqrtf(square));
        if (radius > 0.0f)
            views->outside[cell] = bw_larger(views->outside[cell], said);
        else
            views->inside[cell] = bw_smaller(views->inside[cell], said);
    }
}

static void hear_tile(const Job *job, int32_t beside, int by, Views *views)
{
    const BwParticles *particles = job->particles;
    const BwGrid *grid = particles->grid;
    int offset[3] = {by % 3 - 1, by / 3 % 3 - 1, by / 9 - 1};
    const int32_t *escaped = particles->list + bw_particle_range(particles, beside).begin;
    for (uint64_t m = 0; m < bw_note(&particles->moves, beside)[0]; m++) {
        float place[3];
        bool is_near = true;
        place_of(particles, escaped[m], place);
        for (int a = 0; a < grid->dimension; a++) {
            place[a] += (float)(BW_TILE * offset[a]);
            is_near &= place[a] > -0.5f && place[a] < (float)BW_TILE + 0.5f;
        }
        if (is_near)
            tell(grid, place, particles->column[BW_PARTICLE_VOLUME][escaped[m]], views);
    }
}

static void correct_range(int64_t begin, int64_t end, int worker, void *context)
{
    (void)worker;
    const Job *job = context;
    const BwGrid *grid = job->particles->grid;
    int first = bw_first_beside(grid);
    for (int64_t m = begin; m < end; m++) {
        int32_t slot = grid->order[m];
        float *phi = bw_field_tile(job->corrected, slot);
        Views views;
        uint64_t escaped = 0;
        for (int b = first; b < 27 - first; b++)
            escaped |= grid->tiles[slot].neighbour[b] != 0
                           ? bw_note(&job->particles->moves, grid->tiles[slot].neighbour[b])[0]
                           : 0;
        if (escaped == 0)
            continue;
        for (int n = 0; n < grid->tile_cells; n++)
            views.outside[n] = views.inside[n] = phi[n] / grid->cell_size;
        for (int b = first; b < 27 - first; b++) {
            int32_t beside = grid->tiles[slot].neighbour[b];
            if (beside != 0 && bw_note(&job->particles->moves, beside)[0] > 0)
                hear_tile(job, beside, b, &views);
        }
        for (int n = 0; n < grid->tile_cells; n++) {
            bool is_outside = fabsf(views.outside[n]) <= fabsf(views.inside[n]);
            float nearer = is_outside ? views.outside[n] : views.inside[n];
            if (views.outside[n] != views.inside[n])
                phi[n] = nearer * grid->cell_size;
        }
    }
}

void bw_level_particles_correct(BwParticles *particles, BwField *phi)
{
    Job job = {.particles = particles, .phi = phi, .corrected = phi};
    look_up(&job);
    bw_parallel_for(particles->pool, particles->grid->tile_count, 4, correct_range, &job);
}

static void radii_range(int64_t begin, int64_t end, int worker, void *context)
{
    (void)worker;
    const Job *job = context;
    float *radius = job->particles->column[BW_PARTICLE_VOLUME];
    const float *phi = job->particles->column[BW_PARTICLE_U];
    for (int64_t n = begin; n < end; n++)
        radius[n] = radius_at(copysignf(1.0f, radius[n]), phi[n]);
}

void bw_level_particles_set_radii(BwParticles *particles, const BwField *phi)
{
    Job job = {.particles = particles, .phi = phi};
    look_up(&job);
    bw_parallel_for(particles->pool, particles->count, 4096, radii_range, &job);
}

// The velocity around a tile.
typedef struct Around {
    const BwGrid *grid;
    const BwVelocity *velocity;
    int32_t slot;
    float blocks[3][BW_BLOCK_CELLS];
} Around;

// The way that the velocity at a place leads, in cells, in a share of the step.
static inline void way_at(const Around *around, int axes, const float place[3], float cells_per_speed,
                          float way[3])
{
    bool is_inside = true;
    for (int a = 0; a < axes; a++)
        is_inside &= place[a] > 1.0f - (float)BW_HALO && place[a] < (float)(BW_TILE + BW_HALO - 1);
    Beside beside = find_beside(place, axes);
    for (int a = 0; a < axes; a++) {
        float speed = 0.0f;
        if (is_inside)
            speed = interpolate(around->blocks[a], &beside, axes, a);
        else
            bw_sample_local(&around->velocity->u[a], NULL, around->slot, place, &speed);
        way[a] = cells_per_speed * speed;
    }
}

static inline void move_particle(const Job *job, const Around *around, int axes, int64_t n)
{
    float place[3], first[3], second[3], third[3], at[3] = {0.0f};
    place_of(job->particles, n, place);
    way_at(around, axes, place, job->cells_per_speed, first);
    for (int a = 0; a < axes; a++)
        at[a] = place[a] + 0.5f * first[a];
    way_at(around, axes, at, job->cells_per_speed, second);
    for (int a = 0; a < axes; a++)
        at[a] = place[a] + 0.75f * second[a];
    way_at(around, axes, at, job->cells_per_speed, third);
    for (int a = 0; a < axes; a++)
        job->particles->column[BW_PARTICLE_X + a][n] =
            place[a] + (2.0f * first[a] + 3.0f * second[a] + 4.0f * third[a]) * (1.0f / 9.0f);
}

static void move_range(int64_t begin, int64_t end, int worker, void *context)
{
    (void)worker;
    const Job *job = context;
    Around around = {.grid = job->particles->grid, .velocity = job->velocity};
    for (int64_t m = begin; m < end; m++) {
        around.slot = around.grid->order[m];
        BwParticleRange range = bw_particle_range(job->particles, around.slot);
        if (range.end == range.begin)
            continue;
        for (int a = 0; a < around.grid->dimension; a++)
            bw_block_gather(&job->velocity->u[a], around.slot, around.blocks[a]);
        for (int64_t n = range.begin; n < range.end; n++)
            if (around.grid->dimension == 3) // so that each is compiled for its axes
                move_particle(job, &around, 3, n);
            else
                move_particle(job, &around, 2, n);
    }
}

BwResult bw_level_particles_move(BwParticles *particles, const BwVelocity *velocity, float dt, BwError *err)
{
    Job job = {
        .particles = particles, .velocity = velocity, .cells_per_speed = dt / particles->grid->cell_size};
    BwParticlesGone gone;
    bw_parallel_for(particles->pool, particles->grid->tile_count, 4, move_range, &job);
    return bw_particles_sort(particles, NULL, &gone, err);
}

static int per_cell(const Job *job)
{
    int per_axis = job->seeding->per_axis;
    return per_axis * per_axis * (job->particles->grid->dimension == 3 ? per_axis : 1);
}

static void move_row(BwParticles *particles, int64_t from, int64_t to)
{
    for (int c = 0; c < BW_PARTICLE_COLUMNS; c++)
        if (particles->column[c] != NULL)
            particles->column[c][to] = particles->column[c][from];
}

static bool may_hold(const Job *job, int32_t slot, int cell)
{
    return bw_bit(bw_words(job->particles->grid, job->seeding->valid, slot), cell);
}

// Drops particles of a tile that are too many or far from the surface on their own side; the rest close
// ranks. Counts those that stay, by cell.
static void thin_out(const Job *job, int32_t slot, int counts[BW_TILE_CELLS_MAX])
{
    BwParticles *particles = job->particles;
    BwParticleRange range = bw_particle_range(particles, slot);
    int64_t kept = range.begin;
    for (int64_t n = range.begin; n < range.end; n++) {
        float radius = particles->column[BW_PARTICLE_VOLUME][n], phi = particles->column[BW_PARTICLE_U][n];
        int cell = bw_particle_cell(particles, n);
        bool is_kept = has_escaped(radius, phi) ||
                       (fabsf(phi) < BW_LEVEL_PARTICLES_BAND + 1.0f && counts[cell] < per_cell(job));
        if (!is_kept || !may_hold(job, slot, cell))
            continue;
        move_row(particles, n, kept++);
        counts[cell]++;
    }
    bw_particle_set_range(particles, slot, (BwParticleRange){range.begin, kept});
}

// The particles that a cell lacks: a random place each, in a part of the cell of its own. Gives how many
// there are; with a number for the first they are written.
static int fill_cell(const Job *job, const float *block, int32_t slot, int cell, int have, int64_t number)
{
    BwParticles *particles = job->particles;
    const BwGrid *grid = particles->grid;
    int axis = job->seeding->per_axis, added = 0;
    int32_t at[3];
    bw_tile_first_cell(grid, grid->tiles[slot].coord, at);
    for (int a = 0; a < grid->dimension; a++)
        at[a] += cell >> (3 * a) & 7;
    for (int part = have; part < per_cell(job); part++) {
        int own[3] = {part % axis, part / axis % axis, part / axis / axis};
        float random[3], place[3] = {0.0f};
        bw_random_place(job->seeding->seed, at, part, random);
        for (int a = 0; a < grid->dimension; a++)
            place[a] =
                bw_particle_place(cell, a, have == 0 ? ((float)own[a] + random[a]) / (float)axis : random[a]);
        float phi = phi_at(grid, block, place);
        if (fabsf(phi) > BW_LEVEL_PARTICLES_BAND || (job->seeding->inside_only && phi >= 0.0f))
            continue;
        if (number >= 0) {
            int64_t to = particles->count + number + added;
            BwParticleLoad none = {0};
            bw_particle_write(particles, to, place, bw_vec3(0.0f, 0.0f, 0.0f),
                              particles->next_id + (int32_t)(number + added), &none);
            particles->column[BW_PARTICLE_VOLUME][to] = radius_at(phi < 0.0f ? -1.0f : 1.0f, phi);
            particles->cell[to] = (uint16_t)cell;
            particles->far[number + added] = (BwFarMove){slot, (int32_t)to};
        }
        added++;
    }
    return added;
}

// Fills up a tile; gives how many particles that takes.
static int64_t fill_tile(const Job *job, int32_t slot, int64_t number)
{
    const BwGrid *grid = job->particles->grid;
    const float *phi = bw_field_tile(job->phi, slot);
    float block[BW_BLOCK_CELLS], near = (BW_LEVEL_PARTICLES_BAND + 0.87f) * grid->cell_size;
    int counts[BW_TILE_CELLS_MAX] = {0};
    int64_t added = 0;
    bool is_gathered = false;
    BwParticleRange range = bw_particle_range(job->particles, slot);
    for (int64_t n = range.begin; n < range.end; n++)
        counts[bw_particle_cell(job->particles, n)]++;
    for (int n = 0; n < grid->tile_cells; n++) {
        if (fabsf(phi[n]) > near || counts[n] >= per_cell(job) || !may_hold(job, slot, n))
            continue;
        if (!is_gathered)
            bw_block_gather(job->phi, slot, block);
        is_gathered = true;
        added += fill_cell(job, block, slot, n, counts[n], number < 0 ? -1 : number + added);
    }
    return added;
}

static void count_range(int64_t begin, int64_t end, int worker, void *context)
{
    (void)worker;
    const Job *job = context;
    for (int64_t m = begin; m < end; m++) {
        int32_t slot = job->particles->grid->order[m];
        int counts[BW_TILE_CELLS_MAX] = {0};
        thin_out(job, slot, counts);
        bw_note(&job->particles->moves, slot)[0] = (uint64_t)fill_tile(job, slot, -1);
    }
}

static void fill_range(int64_t begin, int64_t end, int worker, void *context)
{
    (void)worker;
    const Job *job = context;
    for (int64_t m = begin; m < end; m++) {
        int32_t slot = job->particles->grid->order[m];
        fill_tile(job, slot, (int64_t)bw_note(&job->particles->moves, slot)[0]);
    }
}

BwResult bw_level_particles_seed(BwParticles *particles, const BwField *phi, const BwLevelSeeding *seeding,
                                 BwError *err)
{
    Job job = {.particles = particles, .phi = phi, .seeding = seeding};
    const BwGrid *grid = particles->grid;
    BwParticlesGone gone;
    int64_t added = 0;
    look_up(&job);
    bw_parallel_for(particles->pool, grid->tile_count, 4, count_range, &job);
    for (int32_t m = 0; m < grid->tile_count; m++) {
        uint64_t *note = bw_note(&particles->moves, grid->order[m]), own = note[0];
        note[0] = (uint64_t)added;
        added += (int64_t)own;
    }
    BW_TRY(bw_particles_add_room(particles, added, err));
    bw_parallel_for(particles->pool, grid->tile_count, 4, fill_range, &job);
    particles->far_count = added;
    particles->next_id += (int32_t)added;
    return bw_particles_sort(particles, NULL, &gone, err);
}

// Whether a particle of a tile goes; `block` is phi around the tile.
typedef bool GoesFn(const Job *job, const float *block, int64_t n);

typedef struct Leaving {
    const Job *job;
    GoesFn *goes;
} Leaving;

static void leave_range(int64_t begin, int64_t end, int worker, void *context)
{
    (void)worker;
    const Leaving *leaving = context;
    BwParticles *particles = leaving->job->particles;
    const BwGrid *grid = particles->grid;
    for (int64_t m = begin; m < end; m++) {
        BwParticleRange range = bw_particle_range(particles, grid->order[m]);
        float block[BW_BLOCK_CELLS];
        int64_t kept = range.begin;
        if (range.end > range.begin)
            bw_block_gather(leaving->job->phi, grid->order[m], block);
        for (int64_t n = range.begin; n < range.end; n++)
            if (!leaving->goes(leaving->job, block, n))
                move_row(particles, n, kept++);
        bw_particle_set_range(particles, grid->order[m], (BwParticleRange){range.begin, kept});
    }
}

static BwResult let_go(const Job *job, GoesFn *goes, BwError *err)
{
    Leaving leaving = {job, goes};
    BwParticlesGone gone;
    bw_parallel_for(job->particles->pool, job->particles->grid->tile_count, 4, leave_range, &leaving);
    job->particles->far_count = 0;
    return bw_particles_sort(job->particles, NULL, &gone, err);
}

// phi as it was is in BW_PARTICLE_U.
static bool was_overruled(const Job *job, const float *block, int64_t n)
{
    const BwParticles *particles = job->particles;
    float place[3];
    place_of(particles, n, place);
    float phi = phi_at(particles->grid, block, place), before = particles->column[BW_PARTICLE_U][n];
    return particles->column[BW_PARTICLE_VOLUME][n] * phi < 0.0f && fabsf(phi - before) > changed_min;
}

BwResult bw_level_particles_forget(BwParticles *particles, const BwField *before, const BwField *phi,
                                   BwError *err)
{
    Job job = {.particles = particles, .phi = before};
    look_up(&job);
    job.phi = phi;
    return let_go(&job, was_overruled, err);
}

// All cells whose centres are around it are inside.
static bool is_closed_in(const Job *job, const float *block, int64_t n)
{
    int axes = job->particles->grid->dimension;
    float place[3], most = -INFINITY;
    if (job->particles->column[BW_PARTICLE_VOLUME][n] < 0.0f)
        return false;
    place_of(job->particles, n, place);
    Beside beside = find_beside(place, axes);
    for (int corner = 0; corner < 1 << axes; corner++)
        most = bw_larger(
            most, block[beside.low[0][1] + (corner & 1) + BW_BLOCK * (beside.low[1][1] + (corner >> 1 & 1)) +
                        (axes == 3 ? BW_BLOCK_LAYER * (beside.low[2][1] + (corner >> 2)) : 0)]);
    return most < 0.0f;
}

BwResult bw_level_particles_release(BwParticles *particles, const BwField *phi, BwError *err)
{
    Job job = {.particles = particles, .phi = phi};
    return let_go(&job, is_closed_in, err);
}
