// Life of particles: memory for their columns.
#include "particle/particles.h"

#include "base/extremes.h"
#include "grid/lanes.h"
#include "particle/sort.h"

#include <math.h>
#include <string.h>

BwResult bw_particles_create(BwParticles *particles, const BwParticlesDef *def, BwError *err)
{
    *particles = (BwParticles){.allocator = def->allocator,
                               .grid = def->grid,
                               .pool = def->pool,
                               .has_gradient = def->has_gradient,
                               .carried = def->carried};
    BW_TRY(bw_notes_create_wide(&particles->ranges, def->grid, 2, err));
    return bw_notes_create_wide(&particles->moves, def->grid, BW_PARTICLE_MOVE_WORDS, err);
}

// The arrays that grow together: the columns, and the scratch of the sort.
typedef struct Array {
    void **block;
    size_t element_size;
} Array;

enum { ARRAYS = BW_PARTICLE_COLUMNS + 4 };

static void list_arrays(BwParticles *particles, Array arrays[ARRAYS])
{
    for (int c = 0; c < BW_PARTICLE_COLUMNS; c++)
        arrays[c] = (Array){(void **)&particles->column[c], sizeof(float)};
    Array *scratch = arrays + BW_PARTICLE_COLUMNS;
    scratch[0] = (Array){(void **)&particles->spare, sizeof(float)};
    scratch[1] = (Array){(void **)&particles->permutation, sizeof(int32_t)};
    scratch[2] = (Array){(void **)&particles->list, sizeof(int32_t)};
    scratch[3] = (Array){(void **)&particles->cell, sizeof(uint16_t)};
}

void bw_particles_destroy(BwParticles *particles)
{
    Array arrays[ARRAYS];
    if (particles->grid == NULL)
        return;
    list_arrays(particles, arrays);
    for (int n = 0; n < ARRAYS; n++)
        bw_free(&particles->allocator, *arrays[n].block,
                (size_t)particles->capacity[n] * arrays[n].element_size, BW_ALIGN);
    bw_free(&particles->allocator, particles->far, (size_t)particles->far_capacity * sizeof *particles->far,
            BW_ALIGN);
    bw_free(&particles->allocator, particles->starts,
            (size_t)particles->start_capacity * sizeof *particles->starts, BW_ALIGN);
    bw_notes_destroy(&particles->ranges);
    bw_notes_destroy(&particles->moves);
    *particles = (BwParticles){0};
}

// An eighth more than is asked for: counts change little from step to step, and there are many arrays.
BwResult bw_particles_reserve(BwParticles *particles, int64_t count, BwError *err)
{
    Array arrays[ARRAYS];
    const BwAllocator *allocator = &particles->allocator;
    if (count > INT32_MAX / 2)
        return bw_fail_memory(err);
    list_arrays(particles, arrays);
    for (int n = 0; n < ARRAYS; n++) {
        bool is_wanted = n >= BW_PARTICLE_COLUMNS || bw_particles_have(particles, n);
        if (!is_wanted || count <= particles->capacity[n])
            continue;
        int64_t wanted = count + (particles->capacity[n] > 0 ? count / 8 : 0);
        size_t size = arrays[n].element_size;
        void *grown =
            allocator->resize(allocator->user, *arrays[n].block, (size_t)particles->capacity[n] * size,
                              (size_t)wanted * size, BW_ALIGN);
        if (grown == NULL)
            return bw_fail_memory(err);
        *arrays[n].block = grown;
        particles->capacity[n] = wanted;
    }
    return BW_OK;
}

// Cells; a float tells places apart up to there.
static const float farthest_place = 1 << 20;

int32_t bw_particle_settle(const BwGrid *grid, int32_t slot, float place[3])
{
    BwTileCoord own = grid->tiles[slot].coord;
    int step[3] = {0};
    for (int a = 0; a < grid->dimension; a++) {
        if (!(fabsf(place[a]) < farthest_place))
            return 0;
        step[a] = (int)floorf(place[a] * (1.0f / BW_TILE));
        place[a] = fminf(place[a] - (float)(BW_TILE * step[a]), BW_PARTICLE_LAST_PLACE);
    }
    return bw_grid_find(grid, (BwTileCoord){own.x + step[0], own.y + step[1], own.z + step[2]});
}

// m^2/s: what has none takes part in geometric means as this.
static const float viscosity_least = 1e-9f;

static void write_load(BwParticles *particles, int64_t n, const BwParticleLoad *load)
{
    const float thickness = logf(fmaxf(load->viscosity, viscosity_least));
    const float numbers[] = {load->color[0],    load->color[1], load->color[2],
                             load->temperature, thickness,      load->born};
    for (int c = BW_PARTICLE_RED; c <= BW_PARTICLE_BORN; c++)
        if (bw_particles_have(particles, c))
            particles->column[c][n] = numbers[c - BW_PARTICLE_RED];
    if (bw_particles_have(particles, BW_PARTICLE_SOURCE))
        bw_particle_sources(particles)[n] = load->source;
}

void bw_particle_write(BwParticles *particles, int64_t n, const float place[3], BwVec3 velocity, int32_t id,
                       const BwParticleLoad *load)
{
    for (int c = 0; c < BW_PARTICLE_COLUMNS; c++)
        if (bw_particles_have(particles, c))
            particles->column[c][n] = 0.0f;
    for (int a = 0; a < particles->grid->dimension; a++) {
        particles->column[BW_PARTICLE_X + a][n] = place[a];
        particles->column[BW_PARTICLE_U + a][n] = bw_component(velocity, a);
    }
    particles->column[BW_PARTICLE_VOLUME][n] = 1.0f;
    bw_particle_ids(particles)[n] = id;
    write_load(particles, n, load);
}

typedef struct SpanJob {
    const BwParticles *particles;
    BwTileSpan *spans;
} SpanJob;

// The smallest and the largest of numbers, of which there is at least one; what is below 0 or no number
// counts as 0.
static void find_extremes(const float *values, int64_t count, float *least, float *most)
{
    BwLanes low = bw_lanes_of(INFINITY), high = {0};
    int64_t n = 0;
    for (; n + BW_LANES <= count; n += BW_LANES) {
        BwLanes at = bw_lanes_load_any(values + n);
        at = bw_lanes_keep(at, at > 0.0f);
        low = bw_lanes_smaller(at, low);
        high = bw_lanes_larger(at, high);
    }
    if (n < count) { // the rest, and 0 in lanes that are none of them
        BwLaneBits is_there = bw_lane_bits(((uint64_t)1 << (count - n)) - 1);
        BwLanes at = bw_lanes_load_some(values + n, (int)(count - n));
        at = bw_lanes_keep(at, at > 0.0f);
        low = bw_lanes_choose(is_there, bw_lanes_smaller(at, low), low);
        high = bw_lanes_larger(at, high);
    }
    *least = low[0];
    *most = high[0];
    for (int lane = 1; lane < BW_LANES; lane++) {
        *least = bw_smaller(*least, low[lane]);
        *most = bw_larger(*most, high[lane]);
    }
}

static BwTileSpan span_of_tile(const BwParticles *particles, int32_t slot)
{
    BwTileSpan span = {{BW_TILE, BW_TILE, BW_TILE}, {0, 0, 0}};
    BwParticleRange range = bw_particle_range(particles, slot);
    for (int a = 0; a < 3 && range.end > range.begin; a++) {
        float least = 0.0f, most = 0.0f;
        if (a < particles->grid->dimension)
            find_extremes(particles->column[BW_PARTICLE_X + a] + range.begin, range.end - range.begin, &least,
                          &most);
        span.low[a] = (int8_t)bw_smaller(least, BW_TILE - 1);
        span.high[a] = (int8_t)(1 + (int)bw_smaller(most, BW_TILE - 1));
    }
    return span;
}

static void find_spans(int64_t begin, int64_t end, int worker, void *context)
{
    (void)worker;
    const SpanJob *job = context;
    for (int64_t m = begin; m < end; m++)
        job->spans[m] = span_of_tile(job->particles, job->particles->grid->order[m]);
}

void bw_particles_find_spans(const BwParticles *particles, BwTileSpan *spans)
{
    SpanJob job = {particles, spans};
    bw_parallel_for(particles->pool, particles->grid->tile_count, 16, find_spans, &job);
}

typedef struct MarkJob {
    const BwParticles *particles;
    BwMask *cells;
} MarkJob;

static void mark_cells(int64_t begin, int64_t end, int worker, void *context)
{
    (void)worker;
    const MarkJob *job = context;
    const BwGrid *grid = job->particles->grid;
    for (int64_t m = begin; m < end; m++) {
        uint64_t *cells = bw_mask_tile(job->cells, grid->order[m]);
        BwParticleRange range = bw_particle_range(job->particles, grid->order[m]);
        memset(cells, 0, (size_t)grid->layers * sizeof *cells);
        for (int64_t n = range.begin; n < range.end; n++) {
            int cell = bw_particle_cell(job->particles, n);
            cells[cell / BW_TILE_LAYER] |= (uint64_t)1 << cell % BW_TILE_LAYER;
        }
    }
}

void bw_particles_mark_cells(const BwParticles *particles, BwMask *cells)
{
    MarkJob job = {particles, cells};
    bw_parallel_for(particles->pool, particles->grid->tile_count, 16, mark_cells, &job);
}
