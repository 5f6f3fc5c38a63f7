// Particles on a small grid, for unit tests.
#pragma once

#include "gate.h"
#include "particle/seed.h"
#include "particle/sort.h"

typedef struct Box {
    BwPool *pool;
    BwGrid *grid;
    BwParticles particles;
} Box;

// Cells are 1 m wide; the tiles 0 to count - 1 of each axis are awake.
static inline void box_create(Box *box, const BwGridDef *def, int count, int workers)
{
    BwPoolDef pool = {.allocator = bw_allocator_or_default((BwAllocator){0}), .worker_count = workers};
    assert_int_equal(bw_pool_create(&box->pool, &pool, NULL), BW_OK);
    assert_int_equal(bw_grid_create(&box->grid, def, NULL), BW_OK);
    BwParticlesDef particles = {.allocator = pool.allocator,
                                .grid = box->grid,
                                .pool = box->pool,
                                .has_gradient = true,
                                .carried = BW_CARRIES_COLOR | BW_CARRIES_TEMPERATURE | BW_CARRIES_VISCOSITY |
                                           BW_CARRIES_AGE | BW_CARRIES_SOURCE};
    assert_int_equal(bw_particles_create(&box->particles, &particles, NULL), BW_OK);
    for (int n = 0; n < count * count * (def->dimension == 3 ? count : 1); n++) {
        BwTileCoord coord = {n % count, n / count % count, n / count / count};
        assert_int_equal(bw_grid_wake(box->grid, &coord, 1, NULL), BW_OK);
    }
}

static inline void box_destroy(Box *box)
{
    bw_particles_destroy(&box->particles);
    bw_grid_destroy(box->grid);
    bw_pool_destroy(box->pool);
}

static inline void seed(Box *box, const BwShape *shape, int per_axis, bool is_jittered)
{
    BwSeedShape seeded = {
        shape, {1.0f, 2.0f, 3.0f}, {.color = {0.1f, 0.2f, 0.3f}, .temperature = 300.0f, .source = 2}};
    BwSeeding seeding = {
        .shapes = &seeded, .shape_count = 1, .per_axis = per_axis, .is_jittered = is_jittered, .seed = 7};
    assert_int_equal(bw_particles_seed(&box->particles, box->grid, &seeding, NULL), BW_OK);
}

static inline int32_t tile_number(BwTileCoord coord, int axis)
{
    return axis == 0 ? coord.x : axis == 1 ? coord.y : coord.z;
}

// Where a particle is, in cells from the origin.
static inline void place_of(const BwParticles *particles, int32_t slot, int64_t n, double place[3])
{
    place[0] = place[1] = place[2] = 0.0;
    for (int a = 0; a < particles->grid->dimension; a++)
        place[a] = BW_TILE * tile_number(particles->grid->tiles[slot].coord, a) +
                   (double)particles->column[BW_PARTICLE_X + a][n];
}
