// Tile by tile, cell by cell, so that fresh particles stand in their order. What is random depends on the
// cell alone.
#include "particle/seed.h"

#include "base/extremes.h"
#include "domain/cut_box.h"
#include "particle/random_place.h"

#include <math.h>
#include <string.h>

// A particle stands at least so far from a solid, in cells.
static const float clearance = 0.006f;

// Less of a part than this gets no particle: the one next to it towards the inside stands for it too.
// Not a number that a scene hits just so, where rounding would count a part twice or never.
static const float share_min = 0.2371f;

// Less of a part than this that solids leave gets no particle.
static const float open_min = 0.002f;

// A share that is 1 but for this is 1.
static const float rounding = 1e-3f;

// A particle of a part that is cut stands at most so far from its middle along an axis, of its size.
static const float margin = 0.49f;

typedef struct Seeder {
    BwParticles *particles;
    const BwSeeding *seeding;
    int64_t *starts; // by tile: how many, then where they begin
} Seeder;

// A part of a cell: where its middle is in its tile, and where in it the particle stands, in cells.
typedef struct Part {
    float middle[3], offset[3];
} Part;

static Part find_part(const BwSeeding *seeding, const BwGrid *grid, int32_t slot, int cell, int index)
{
    int per_axis = seeding->per_axis;
    int32_t first[3], here[3];
    float within[3] = {0.5f, 0.5f, 0.5f};
    int parts[3] = {index % per_axis, index / per_axis % per_axis, index / per_axis / per_axis};
    Part part = {{0}, {0}};
    bw_tile_first_cell(grid, grid->tiles[slot].coord, first);
    for (int a = 0; a < 3; a++)
        here[a] = first[a] + (cell >> (3 * a) & 7);
    if (seeding->is_jittered)
        bw_random_place(seeding->seed, here, index, within);
    for (int a = 0; a < grid->dimension; a++) {
        part.middle[a] = bw_particle_place(cell, a, ((float)parts[a] + 0.5f) / (float)per_axis);
        part.offset[a] = (bw_jittered(within[a]) - 0.5f) / (float)per_axis;
    }
    return part;
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

// How much of a part is inside a shape, with what it stands for besides, and which way leads out of it.
typedef struct Inside {
    float share;
    BwVec3 normal;
} Inside;

static Inside part_inside(const BwShape *shape, const BwGrid *grid, BwVec3 middle, float side)
{
    float distance = bw_shape_distance(shape, middle), change[3] = {0};
    if (fabsf(distance) >= side) // farther than its corners
        return (Inside){.share = distance < 0.0f ? 1.0f : 0.0f};
    for (int a = 0; a < grid->dimension; a++) {
        float step[3] = {0};
        step[a] = 0.25f * side;
        BwVec3 along = bw_vec3(step[0], step[1], step[2]);
        change[a] =
            bw_shape_distance(shape, bw_add(middle, along)) - bw_shape_distance(shape, bw_sub(middle, along));
    }
    float share = 0.5f - distance / side;
    return (Inside){share < share_min          ? 0.0f
                    : share < 1.0f + share_min ? share
                                               : 1.0f,
                    bw_normalize(bw_vec3(change[0], change[1], change[2]))};
}

// A particle to be: the volume that stands for as much of its part as is inside the shapes, and the shape
// that it is of.
typedef struct Seed {
    const BwSeedShape *shape; // NULL: there is none
    float place[3], volume;
} Seed;

// What several shapes hold of a part. Those that meet in it hold it together; those that lie over each other
// hold no more than the largest.
static Inside inside_both(Inside a, Inside b)
{
    Inside larger = a.share > b.share ? a : b;
    if (a.share > 0.0f && b.share > 0.0f) {
        float alike = bw_dot(a.normal, b.normal); // 0 where the surface of one is far
        float share = alike < 0.0f ? a.share + b.share : larger.share;
        larger.share = alike > 0.0f ? share : bw_smaller(share, 1.0f);
    }
    return larger;
}

// Moves a particle's place to the share of its part that is inside.
static void draw_in(Part *part, int axes, float side, const Inside *inside)
{
    float along = 0.0f;
    for (int a = 0; a < axes; a++)
        along += part->offset[a] * bw_component(inside->normal, a);
    float shift = inside->share * (0.5f * side + along) - 0.5f * side - along;
    for (int a = 0; a < axes; a++) {
        float offset = part->offset[a] + shift * bw_component(inside->normal, a);
        part->offset[a] = bw_smaller(bw_larger(offset, -margin * side), margin * side);
    }
}

// The part of a cell as solids leave it: `alike` is 1 where a shape ends just where the solid begins, so that
// both have the same surface there, and -1 where one of them begins where the other ends.
typedef struct Left {
    BwCutBox open;
    float alike;
} Left;

static Left find_left(const BwNearSolids *near, const BwGrid *grid, BwVec3 middle, float side,
                      const Inside *inside)
{
    Left left = {.open = {.share = 1.0f}};
    if (near->count > 0)
        left.open = bw_cut_solids(near, middle, side * grid->cell_size, grid->dimension);
    if (fabsf(inside->share - 1.0f) > rounding)
        left.alike = -bw_dot(inside->normal, left.open.normal);
    return left;
}

// The share that is both inside of the shape and left by solids.
static float both_shares(const Inside *inside, const Left *left)
{
    float each = inside->share * left->open.share,
          common = left->alike > 0.0f ? bw_smaller(inside->share, left->open.share)
                                      : bw_larger(inside->share + left->open.share - 1.0f, 0.0f);
    return each + fabsf(left->alike) * (common - each);
}

// Moves a particle's place off solids, to the middle of what they leave and along the wall as before.
static void draw_off(Part *part, int axes, float side, const Left *left)
{
    float along = 0.0f, share = left->open.share, way = 1.0f - bw_larger(left->alike, 0.0f);
    for (int a = 0; a < axes; a++)
        along += part->offset[a] * bw_component(left->open.normal, a);
    for (int a = 0; a < axes; a++) {
        float shift =
            side * left->open.middle[a] - (1.0f - share) * along * bw_component(left->open.normal, a);
        part->offset[a] = bw_smaller(bw_larger(part->offset[a] + way * shift, -margin * side), margin * side);
    }
}

static bool is_clear(const BwNearSolids *near, const BwGrid *grid, int32_t slot, const float place[3])
{
    return bw_solids_distance(near->list, near->count, point_of(grid, slot, place)) >=
           clearance * grid->cell_size;
}

static Seed find_seed(const BwSeeding *seeding, const BwGrid *grid, const BwNearSolids *near, int32_t slot,
                      int cell, int index)
{
    Part part = find_part(seeding, grid, slot, cell, index);
    BwVec3 middle = point_of(grid, slot, part.middle);
    float side = 1.0f / (float)seeding->per_axis;
    Inside inside = {0};
    Seed seed = {0};
    for (int n = 0; n < seeding->shape_count; n++) {
        Inside own = part_inside(seeding->shapes[n].shape, grid, middle, side * grid->cell_size);
        inside = inside_both(inside, own);
        if (own.share >= 0.5f || (own.share > 0.0f && seed.shape == NULL))
            seed.shape = &seeding->shapes[n];
    }
    Left left = find_left(near, grid, middle, side, &inside);
    float share = both_shares(&inside, &left);
    if (inside.share <= 0.0f || left.open.share < open_min || share < open_min)
        return (Seed){0};
    if (fabsf(inside.share - 1.0f) > rounding)
        draw_in(&part, grid->dimension, side, &inside);
    if (left.open.share < 1.0f)
        draw_off(&part, grid->dimension, side, &left);
    for (int a = 0; a < grid->dimension; a++)
        seed.place[a] = part.middle[a] + part.offset[a];
    seed.volume = fabsf(share - 1.0f) > rounding ? share : 1.0f;
    if (is_clear(near, grid, slot, seed.place))
        return seed;
    for (int a = 0; a < grid->dimension; a++)
        seed.place[a] = part.middle[a] + side * left.open.middle[a];
    return is_clear(near, grid, slot, seed.place) ? seed : (Seed){0};
}

static bool gets_particles(const BwSeeding *seeding, const BwGrid *grid, int32_t slot, int cell)
{
    return bw_bit(grid->tiles[slot].live, cell) &&
           (seeding->core == NULL || !bw_bit(bw_mask_tile(seeding->core, slot), cell));
}

static void write_seed(BwParticles *particles, int64_t n, const Seed *seed)
{
    bw_particle_write(particles, n, seed->place, seed->shape->velocity, particles->next_id + (int32_t)n,
                      &seed->shape->load);
    particles->column[BW_PARTICLE_VOLUME][n] = seed->volume;
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
            Seed seed = find_seed(seeding, grid, &near, slot, cell, part);
            if (seed.shape == NULL)
                continue;
            if (at >= 0)
                write_seed(seeder->particles, at + count, &seed);
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
    for (int part = 0; part < parts_of_cell(job->seeding, job->grid); part++)
        if (find_seed(job->seeding, job->grid, near, slot, cell, part).volume != 1.0f)
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
