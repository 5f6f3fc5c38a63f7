// Those to remove are found first, tile by tile, and marked by a name below 0; then the columns close up.
#include "particle/drain.h"

#include "grid/bits.h"
#include "particle/random_place.h"
#include "particle/sort.h"
#include "solid/shape_file.h"

#include <stdlib.h>

// Where particles are taken from: a shape, or the cells that have one of a mask on a side.
typedef struct Mouth {
    const BwShape *shape; // NULL: the cells
    float around;         // m, beyond the shape
    const BwMask *cells;
    int side;
} Mouth;

static BwVec3 point_of(const BwParticles *particles, int32_t slot, int64_t n)
{
    const BwGrid *grid = particles->grid;
    int32_t first[3];
    float at[3] = {0};
    bw_tile_first_cell(grid, grid->tiles[slot].coord, first);
    for (int a = 0; a < grid->dimension; a++)
        at[a] =
            (float)((first[a] + (double)particles->column[BW_PARTICLE_X + a][n]) * (double)grid->cell_size);
    return bw_vec3(at[0], at[1], at[2]);
}

static bool shape_is_near(const BwGrid *grid, int32_t slot, const BwShape *shape, float around)
{
    int32_t first[3];
    float half = 0.5f * BW_TILE * grid->cell_size, at[3] = {0};
    bw_tile_first_cell(grid, grid->tiles[slot].coord, first);
    for (int a = 0; a < grid->dimension; a++)
        at[a] = (float)first[a] * grid->cell_size + half;
    return bw_shape_plate_distance(shape, bw_vec3(at[0], at[1], at[2]), 0.5f * grid->cell_size) <
           1.8f * half + around; // half of the diagonal
}

static uint64_t cells_of(const BwGrid *grid, const Mouth *mouth, int32_t slot, int k)
{
    return bw_bits_beside(grid, mouth->cells, slot, mouth->side, k) & ~bw_mask_tile(mouth->cells, slot)[k];
}

// Whether a mouth reaches into a tile.
static bool is_near(const BwGrid *grid, int32_t slot, const Mouth *mouth)
{
    if (mouth->shape != NULL)
        return shape_is_near(grid, slot, mouth->shape, mouth->around);
    uint64_t any = 0;
    for (int k = 0; k < grid->layers; k++)
        any |= cells_of(grid, mouth, slot, k);
    return any != 0;
}

static bool is_inside(const BwParticles *particles, int32_t slot, int64_t n, const Mouth *mouth)
{
    float half = 0.5f * particles->grid->cell_size;
    int cell = bw_particle_cell(particles, n);
    if (mouth->shape == NULL)
        return cells_of(particles->grid, mouth, slot, cell / BW_TILE_LAYER) >> cell % BW_TILE_LAYER & 1;
    return bw_shape_plate_distance(mouth->shape, point_of(particles, slot, n), half) < mouth->around;
}

static int32_t random_rank(int32_t id)
{
    float random[3];
    const int32_t cell[3] = {id, 0, 0};
    bw_random_place(1, cell, 0, random);
    return (int32_t)(random[0] * 16777216.0f);
}

// Lists the particles inside, in the order in which they are to go, in the sort's scratch memory.
static BwResult list_inside(BwParticles *particles, const Mouth *mouth, int64_t *count, BwError *err)
{
    const BwGrid *grid = particles->grid;
    *count = 0;
    for (int32_t m = 0; m < grid->tile_count; m++) {
        BwParticleRange range = bw_particle_range(particles, grid->order[m]);
        if (range.end == range.begin || !is_near(grid, grid->order[m], mouth))
            continue;
        BW_TRY(bw_reserve(&particles->allocator, (void **)&particles->far, &particles->far_capacity,
                          *count + range.end - range.begin, sizeof *particles->far, err));
        for (int64_t n = range.begin; n < range.end; n++)
            if (is_inside(particles, grid->order[m], n, mouth))
                particles->far[(*count)++] =
                    (BwFarMove){random_rank(bw_particle_ids(particles)[n]), (int32_t)n};
    }
    return BW_OK;
}

static int compare_ranks(const void *a, const void *b)
{
    const BwFarMove *one = a, *other = b;
    if (one->slot != other->slot)
        return one->slot < other->slot ? -1 : 1;
    return one->particle < other->particle ? -1 : one->particle > other->particle;
}

// Marks those that go; gives their volume.
static double mark(BwParticles *particles, int64_t listed, double most)
{
    double removed = 0.0;
    for (int64_t m = 0; m < listed; m++) {
        int32_t n = particles->far[m].particle;
        double volume = (double)particles->column[BW_PARTICLE_VOLUME][n];
        if (removed + 0.5 * volume > most)
            break;
        removed += volume;
        bw_particle_ids(particles)[n] = -1;
    }
    return removed;
}

static void close_up_column(BwParticles *particles, int column, int64_t first)
{
    const int32_t *ids = bw_particle_ids(particles);
    float *values = particles->column[column];
    int64_t to = first;
    for (int64_t n = first; n < particles->count; n++)
        if (ids[n] >= 0)
            values[to++] = values[n];
}

// The tiles' ranges move together, and then the columns, that of the names last.
static void close_up(BwParticles *particles, int64_t first)
{
    const BwGrid *grid = particles->grid;
    const int32_t *ids = bw_particle_ids(particles);
    int64_t kept = 0;
    for (int32_t m = 0; m < grid->tile_count; m++) {
        BwParticleRange range = bw_particle_range(particles, grid->order[m]);
        int64_t begin = kept;
        for (int64_t n = range.begin; n < range.end; n++)
            kept += ids[n] >= 0;
        bw_particle_set_range(particles, grid->order[m], (BwParticleRange){begin, kept});
    }
    for (int c = 0; c < BW_PARTICLE_COLUMNS; c++)
        if (c != BW_PARTICLE_ID && bw_particles_have(particles, c))
            close_up_column(particles, c, first);
    int32_t *names = bw_particle_ids(particles);
    int64_t to = first;
    for (int64_t n = first; n < particles->count; n++)
        if (names[n] >= 0)
            names[to++] = names[n];
    particles->count = kept;
}

static BwResult drain(BwParticles *particles, const Mouth *mouth, double most, double *removed, BwError *err)
{
    int64_t listed, first = particles->count;
    *removed = 0.0;
    BW_TRY(list_inside(particles, mouth, &listed, err));
    if (listed == 0)
        return BW_OK;
    qsort(particles->far, (size_t)listed, sizeof *particles->far, compare_ranks);
    *removed = mark(particles, listed, most);
    for (int64_t m = 0; m < listed; m++)
        if (bw_particle_ids(particles)[particles->far[m].particle] < 0 && particles->far[m].particle < first)
            first = particles->far[m].particle;
    if (first < particles->count)
        close_up(particles, first);
    return BW_OK;
}

BwResult bw_particles_drain(BwParticles *particles, const BwShape *shape, float around, double most,
                            double *removed, BwError *err)
{
    const Mouth mouth = {.shape = shape, .around = around};
    return drain(particles, &mouth, most, removed, err);
}

BwResult bw_particles_drain_beside(BwParticles *particles, const BwMask *cells, int side, double most,
                                   double *removed, BwError *err)
{
    const Mouth mouth = {.cells = cells, .side = side};
    return drain(particles, &mouth, most, removed, err);
}

// Marks those of a tile that go; gives their volume.
static double mark_excess(const BwParticles *particles, BwParticleRange range, const uint64_t *cells,
                          double most)
{
    double held = 0.0, removed = 0.0;
    for (int64_t n = range.begin, last = -1; n < range.end; n++) {
        int cell = bw_particle_cell(particles, n);
        double volume = (double)particles->column[BW_PARTICLE_VOLUME][n];
        held = (cell == last ? held : 0.0) + volume;
        last = cell;
        if (!bw_bit(cells, cell) || held <= most)
            continue;
        held -= volume;
        removed += volume;
        bw_particle_ids(particles)[n] = -1;
    }
    return removed;
}

double bw_particles_run_off(BwParticles *particles, const BwMask *cells, double most)
{
    const BwGrid *grid = particles->grid;
    double removed = 0.0;
    for (int32_t m = 0; m < grid->tile_count; m++) {
        const uint64_t *words = bw_mask_tile(cells, grid->order[m]);
        uint64_t any = 0;
        for (int k = 0; k < grid->layers; k++)
            any |= words[k];
        if (any != 0)
            removed += mark_excess(particles, bw_particle_range(particles, grid->order[m]), words, most);
    }
    if (removed > 0.0)
        close_up(particles, 0);
    return removed;
}
