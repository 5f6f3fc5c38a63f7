// Tile by tile, cell by cell, so that fresh particles stand in their order. What is random depends on the
// cell alone.
#include "particle/seed.h"

#include "domain/near_solids.h"
#include "particle/random_place.h"

#include <math.h>
#include <string.h>

// A particle stands at least so far from a solid, in cells.
static const float clearance = 0.01f;

typedef struct Seeder {
    BwParticles *particles;
    const BwSeeding *seeding;
    int64_t *starts; // by tile: how many, then where they begin
} Seeder;

// The place of a part's particle in its tile, in cells.
static void seed_place(const BwSeeding *seeding, const BwGrid *grid, int32_t slot, int cell, int part,
                       float place[3])
{
    int per_axis = seeding->per_axis;
    int32_t first[3], here[3];
    float within[3] = {0.5f, 0.5f, 0.5f};
    int parts[3] = {part % per_axis, part / per_axis % per_axis, part / per_axis / per_axis};
    bw_tile_first_cell(grid, grid->tiles[slot].coord, first);
    for (int a = 0; a < 3; a++)
        here[a] = first[a] + (cell >> (3 * a) & 7);
    if (seeding->is_jittered)
        bw_random_place(seeding->seed, here, part, within);
    for (int a = 0; a < grid->dimension; a++)
        place[a] = bw_particle_place(cell, a, ((float)parts[a] + bw_jittered(within[a])) / (float)per_axis);
}

static BwVec3 point_of(const BwGrid *grid, int32_t slot, const float place[3])
{
    int32_t first[3];
    float at[3] = {0};
    bw_tile_first_cell(grid, grid->tiles[slot].coord, first);
    for (int a = 0; a < 3 && a < grid->dimension; a++)
        at[a] = (float)((first[a] + (double)place[a]) * (double)grid->cell_size);
    return bw_vec3(at[0], at[1], at[2]);
}

// The last shape that holds a point, or NULL.
static const BwSeedShape *shape_at(const BwSeeding *seeding, BwVec3 point)
{
    for (int n = seeding->shape_count - 1; n >= 0; n--)
        if (bw_shape_distance(seeding->shapes[n].shape, point) < 0.0f)
            return &seeding->shapes[n];
    return NULL;
}

// Whether any shape reaches into the tile.
static bool is_near(const BwSeeding *seeding, const BwGrid *grid, int32_t slot)
{
    const float middle[3] = {0.5f * BW_TILE, 0.5f * BW_TILE, 0.5f * BW_TILE};
    BwVec3 point = point_of(grid, slot, middle);
    for (int n = 0; n < seeding->shape_count; n++)
        if (bw_shape_distance(seeding->shapes[n].shape, point) <
            7.0f * grid->cell_size) // half of the diagonal
            return true;
    return false;
}

static int parts_of_cell(const BwSeeding *seeding, const BwGrid *grid)
{
    return seeding->per_axis * seeding->per_axis * (grid->dimension == 3 ? seeding->per_axis : 1);
}

// The place of a part's particle, and the shape that it belongs to; NULL: there is none.
static const BwSeedShape *find_seed(const BwSeeding *seeding, const BwGrid *grid, const BwNearSolids *near,
                                    int32_t slot, int cell, int part, float place[3])
{
    seed_place(seeding, grid, slot, cell, part, place);
    BwVec3 point = point_of(grid, slot, place);
    const BwSeedShape *shape = shape_at(seeding, point);
    bool is_clear =
        shape != NULL && bw_solids_distance(near->list, near->count, point) >= clearance * grid->cell_size;
    return is_clear ? shape : NULL;
}

static bool gets_particles(const BwSeeding *seeding, const BwGrid *grid, int32_t slot, int cell)
{
    return bw_bit(grid->tiles[slot].live, cell) &&
           (seeding->core == NULL || !bw_bit(bw_mask_tile(seeding->core, slot), cell));
}

// Seeds a tile from place `at` of the columns on, or only counts where that is negative; gives how many.
static int64_t seed_tile(const Seeder *seeder, int32_t slot, int64_t at)
{
    const BwGrid *grid = seeder->particles->grid;
    const BwSeeding *seeding = seeder->seeding;
    int parts = parts_of_cell(seeding, grid);
    BwNearSolids near;
    int64_t count = 0;
    if (!is_near(seeding, grid, slot))
        return 0;
    bw_near_solids_find(&near, seeding->solids, seeding->solid_count, grid, grid->tiles[slot].coord);
    for (int cell = 0; cell < grid->tile_cells; cell++)
        for (int part = 0; part < parts && gets_particles(seeding, grid, slot, cell); part++) {
            float place[3] = {0};
            const BwSeedShape *shape = find_seed(seeding, grid, &near, slot, cell, part, place);
            if (shape == NULL)
                continue;
            if (at >= 0)
                bw_particle_write(seeder->particles, at + count, place, shape->velocity,
                                  seeder->particles->next_id + (int32_t)(at + count), &shape->load);
            count++;
        }
    return count;
}

typedef struct Marking {
    const BwSeeding *seeding;
    const BwGrid *grid;
    BwMask *whole;
    BwVelocity *velocity;
} Marking;

static bool is_whole(const Marking *job, const BwNearSolids *near, int32_t slot, int cell)
{
    float place[3] = {0};
    for (int part = 0; part < parts_of_cell(job->seeding, job->grid); part++)
        if (find_seed(job->seeding, job->grid, near, slot, cell, part, place) == NULL)
            return false;
    return true;
}

static void whole_range(int64_t begin, int64_t end, int worker, void *context)
{
    (void)worker;
    const Marking *job = context;
    const BwGrid *grid = job->grid;
    for (int64_t m = begin; m < end; m++) {
        int32_t slot = grid->order[m];
        uint64_t *whole = bw_mask_tile(job->whole, slot);
        BwNearSolids near;
        memset(whole, 0, (size_t)grid->layers * sizeof *whole);
        if (!is_near(job->seeding, grid, slot))
            continue;
        bw_near_solids_find(&near, job->seeding->solids, job->seeding->solid_count, grid,
                            grid->tiles[slot].coord);
        for (int cell = 0; cell < grid->tile_cells; cell++)
            if (bw_bit(grid->tiles[slot].live, cell) && is_whole(job, &near, slot, cell))
                whole[cell >> 6] |= (uint64_t)1 << (cell & 63);
    }
}

void bw_seeding_find_whole(const BwSeeding *seeding, const BwDomain *domain, BwMask *whole)
{
    Marking job = {.seeding = seeding, .grid = domain->grid, .whole = whole};
    bw_parallel_for(domain->pool, domain->grid->tile_count, 4, whole_range, &job);
}

static void velocity_range(int64_t begin, int64_t end, int worker, void *context)
{
    (void)worker;
    const Marking *job = context;
    const BwGrid *grid = job->grid;
    for (int64_t m = begin; m < end; m++) {
        int32_t slot = grid->order[m];
        for (int cell = 0; cell < grid->tile_cells && is_near(job->seeding, grid, slot); cell++) {
            BwVec3 center = bw_sample_position(grid, grid->tiles[slot].coord, cell, BW_AT_CELL);
            const BwSeedShape *shape = shape_at(job->seeding, center);
            for (int a = 0; a < grid->dimension && shape != NULL; a++)
                bw_field_tile(&job->velocity->u[a], slot)[cell] = bw_component(shape->velocity, a);
        }
    }
}

void bw_seeding_set_velocity(const BwSeeding *seeding, const BwDomain *domain, BwVelocity *velocity)
{
    Marking job = {.seeding = seeding, .grid = domain->grid, .velocity = velocity};
    bw_parallel_for(domain->pool, domain->grid->tile_count, 4, velocity_range, &job);
}

static void count_range(int64_t begin, int64_t end, int worker, void *context)
{
    (void)worker;
    const Seeder *seeder = context;
    for (int64_t m = begin; m < end; m++)
        seeder->starts[m] = seed_tile(seeder, seeder->particles->grid->order[m], -1);
}

static void seed_range(int64_t begin, int64_t end, int worker, void *context)
{
    (void)worker;
    const Seeder *seeder = context;
    for (int64_t m = begin; m < end; m++) {
        int32_t slot = seeder->particles->grid->order[m];
        int64_t count = seed_tile(seeder, slot, seeder->starts[m]);
        bw_particle_set_range(seeder->particles, slot,
                              (BwParticleRange){seeder->starts[m], seeder->starts[m] + count});
    }
}

BwResult bw_particles_seed(BwParticles *particles, const BwGrid *grid, const BwSeeding *seeding, BwError *err)
{
    Seeder seeder = {particles, seeding, NULL};
    size_t bytes = (size_t)grid->tile_count * sizeof *seeder.starts;
    int64_t sum = 0;
    if (grid->tile_count == 0)
        return BW_OK;
    seeder.starts = bw_alloc(&particles->allocator, bytes, BW_ALIGN);
    if (seeder.starts == NULL)
        return bw_fail_memory(err);
    bw_parallel_for(particles->pool, grid->tile_count, 4, count_range, &seeder);
    for (int32_t m = 0; m < grid->tile_count; m++) {
        int64_t here = seeder.starts[m];
        seeder.starts[m] = sum;
        sum += here;
    }
    BwResult result = bw_particles_reserve(particles, sum, err);
    if (result == BW_OK) {
        bw_parallel_for(particles->pool, grid->tile_count, 4, seed_range, &seeder);
        particles->count = sum;
        particles->next_id += (int32_t)sum;
    }
    bw_free(&particles->allocator, seeder.starts, bytes, BW_ALIGN);
    return result;
}
