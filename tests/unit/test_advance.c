// Particles moved in groups (particle/advance_lanes.h) against the same formulas written out for one particle
// at a time, bit for bit: random velocities, steps of one and of several parts, walls, groups that are not
// full, with and without shift and flip, in 2-D and 3-D. Paths that leave a tile's block are left out.
#include "gate.h"
#include "grid/block.h"
#include "particle/advance.h"
#include "particle/seed.h"
#include "random.h"

#include <math.h>
#include <string.h>

enum { TILES = 3, SPAN = TILES * BW_TILE };

typedef struct Case {
    int dimension;
    bool is_flip, has_shift, moves_by_velocity;
    float speed; // cells a step
} Case;

typedef struct Setup {
    BwPool *pool;
    BwGrid *grid;
    BwParticles particles;
    BwVelocity velocity, path, before, shift;
    BwBoxSide sides[BW_SIDE_COUNT];
    BwAdvance advance;
} Setup;

static void fill(const BwGrid *grid, BwVelocity *velocity, float speed, Random *random)
{
    assert_int_equal(bw_velocity_create(velocity, (BwGrid *)(uintptr_t)grid, bw_vec3(0, 0, 0), NULL), BW_OK);
    for (int32_t m = 0; m < grid->tile_count; m++)
        for (int a = 0; a < grid->dimension; a++)
            for (int c = 0; c < grid->tile_cells; c++)
                bw_field_tile(&velocity->u[a], grid->order[m])[c] =
                    (float)random_between(random, -1.0, 1.0) * speed;
}

static void setup_create(Setup *setup, Case c)
{
    Random random = random_seeded(5);
    BwPoolDef pool = {.allocator = bw_allocator_or_default((BwAllocator){0}), .worker_count = 2};
    BwGridDef def = {.cell_size = 1.0f,
                     .dimension = c.dimension,
                     .has_bounds = true,
                     .bounds = {{0, 0, 0}, {SPAN, SPAN, c.dimension == 3 ? SPAN : 1}}};
    BwShape shape = bw_sphere(bw_vec3(9.0f, 9.0f, c.dimension == 3 ? 9.0f : 0.0f), 11.0f);
    BwSeedShape seeded = {.shape = &shape, .velocity = {1.0f, 2.0f, 3.0f}};
    BwSeeding seeding = {.shapes = &seeded, .shape_count = 1, .per_axis = 2, .is_jittered = true, .seed = 7};
    assert_int_equal(bw_pool_create(&setup->pool, &pool, NULL), BW_OK);
    assert_int_equal(bw_grid_create(&setup->grid, &def, NULL), BW_OK);
    for (int n = 0; n < TILES * TILES * (c.dimension == 3 ? TILES : 1); n++) {
        BwTileCoord coord = {n % TILES, n / TILES % TILES, n / TILES / TILES};
        assert_int_equal(bw_grid_wake(setup->grid, &coord, 1, NULL), BW_OK);
    }
    BwParticlesDef particles = {
        .allocator = pool.allocator, .grid = setup->grid, .pool = setup->pool, .has_gradient = !c.is_flip};
    assert_int_equal(bw_particles_create(&setup->particles, &particles, NULL), BW_OK);
    assert_int_equal(bw_particles_seed(&setup->particles, setup->grid, &seeding, NULL), BW_OK);
    fill(setup->grid, &setup->velocity, c.speed, &random);
    fill(setup->grid, &setup->path, c.speed, &random);
    fill(setup->grid, &setup->before, c.speed, &random);
    fill(setup->grid, &setup->shift, 0.1f, &random);
    for (int n = 0; n < BW_SIDE_COUNT; n++)
        setup->sides[n] = bw_box_side_plain();
    setup->advance = (BwAdvance){.velocity = c.moves_by_velocity ? &setup->velocity : NULL,
                                 .path = &setup->path,
                                 .before = c.is_flip ? &setup->before : NULL,
                                 .flip = 0.9f,
                                 .shift = c.has_shift ? &setup->shift : NULL,
                                 .dt = 1.0f,
                                 .collision = {.sides = setup->sides, .reach = 4.0f}};
}

static void setup_destroy(Setup *setup)
{
    bw_velocity_destroy(&setup->velocity);
    bw_velocity_destroy(&setup->path);
    bw_velocity_destroy(&setup->before);
    bw_velocity_destroy(&setup->shift);
    bw_particles_destroy(&setup->particles);
    bw_grid_destroy(setup->grid);
    bw_pool_destroy(setup->pool);
}

// A particle alone, and the tile that it is counted from.
typedef struct Plain {
    const Setup *setup;
    int32_t slot;
    float place[3], velocity[3], gradient[3][3];
    bool has_left; // the blocks
} Plain;

// Of the eight samples around a place, reduced along x, then y, then z: a blend, or along axis `along` the
// difference.
static float reduce(const float sample[8], const float part[3], int axes, int along)
{
    float rest[8];
    memcpy(rest, sample, sizeof rest);
    for (int a = 0; a < axes; a++)
        for (int n = 0; n < 1 << (axes - a - 1); n++) {
            float low = rest[2 * n], difference = rest[2 * n + 1] - low;
            rest[n] = a == along ? difference : low + difference * part[a];
        }
    return rest[0];
}

static float component_at(Plain *plain, const BwVelocity *velocity, int axis, const float place[3],
                          float slope[3])
{
    static float block[BW_BLOCK_CELLS];
    int axes = plain->setup->grid->dimension, low[3] = {0};
    float part[3] = {0}, sample[8] = {0};
    bw_block_gather(&velocity->u[axis], plain->slot, block);
    for (int a = 0; a < axes; a++) {
        float at = (a == axis ? place[a] : place[a] - 0.5f) + (float)BW_HALO;
        plain->has_left |= !(at >= 0.0f && at < (float)(BW_BLOCK - 1));
        low[a] = plain->has_left ? 0 : (int)floorf(at);
        part[a] = at - (float)low[a];
    }
    for (int n = 0; n < 1 << axes; n++)
        sample[n] = block[low[0] + (n & 1) + BW_BLOCK * (low[1] + (n >> 1 & 1)) +
                          BW_BLOCK_LAYER * (low[2] + (n >> 2 & 1))];
    for (int b = 0; b < axes && slope != NULL; b++)
        slope[b] = reduce(sample, part, axes, b);
    return reduce(sample, part, axes, -1);
}

static void velocity_at(Plain *plain, const float place[3], float scale, float way[3])
{
    for (int a = 0; a < plain->setup->grid->dimension; a++)
        way[a] = scale * component_at(plain, plain->setup->advance.path, a, place, NULL);
}

// Within the walls, a hundredth of a cell away from them.
static unsigned keep_in(Plain *plain)
{
    int32_t first[3];
    unsigned met = 0;
    bw_tile_first_cell(plain->setup->grid, plain->setup->grid->tiles[plain->slot].coord, first);
    for (int a = 0; a < plain->setup->grid->dimension; a++) {
        float low = (float)-first[a] + 0.01f, high = (float)(SPAN - first[a]) - 0.01f, at = plain->place[a];
        plain->place[a] = at < low ? low : at > high ? high : at;
        met |= (unsigned)(at < low || at > high) << a;
    }
    return met;
}

static void move_part(Plain *plain, float scale)
{
    int axes = plain->setup->grid->dimension;
    float k1[3] = {0}, k2[3] = {0}, k3[3] = {0}, at[3] = {0};
    velocity_at(plain, plain->place, scale, k1);
    for (int a = 0; a < axes; a++)
        at[a] = plain->place[a] + 0.5f * k1[a];
    velocity_at(plain, at, scale, k2);
    for (int a = 0; a < axes; a++)
        at[a] = plain->place[a] + 0.75f * k2[a];
    velocity_at(plain, at, scale, k3);
    for (int a = 0; a < axes; a++)
        plain->place[a] += (2.0f * k1[a] + 3.0f * k2[a] + 4.0f * k3[a]) * (1.0f / 9.0f);
}

static void take_velocity(Plain *plain)
{
    const BwAdvance *advance = &plain->setup->advance;
    for (int a = 0; a < plain->setup->grid->dimension; a++) {
        float speed = component_at(plain, advance->velocity, a, plain->place, plain->gradient[a]);
        if (advance->before != NULL) {
            float change = speed - component_at(plain, advance->before, a, plain->place, NULL);
            speed += advance->flip * (plain->velocity[a] + change - speed);
        }
        plain->velocity[a] = speed;
    }
}

static unsigned follow(Plain *plain)
{
    float way[3] = {0};
    unsigned met = 0;
    velocity_at(plain, plain->place, 1.0f, way);
    float longest = fmaxf(fabsf(way[0]), fmaxf(fabsf(way[1]), fabsf(way[2])));
    int parts = longest > 1.5f ? (int)ceilf(longest / 1.5f) : 1;
    for (int part = 0; part < parts && !plain->has_left; part++) {
        move_part(plain, 1.0f / (float)parts);
        met |= keep_in(plain);
    }
    return met;
}

// Straight on where the velocity changes by little, from where it was taken.
static void go(Plain *plain, const float start[3])
{
    int axes = plain->setup->grid->dimension;
    float ahead[3] = {0}, squares = 0.0f, slope[3] = {0};
    unsigned met = 0;
    for (int a = 0; a < axes; a++) {
        ahead[a] = plain->place[a] + component_at(plain, plain->setup->advance.velocity, a, start, slope);
        for (int b = 0; b < axes; b++)
            squares += slope[b] * slope[b];
    }
    float straight = fmaxf(fminf((0.3f - squares) * (1.0f / (0.3f - 0.1f)), 1.0f), 0.0f);
    if (straight < 1.0f)
        met = follow(plain);
    for (int a = 0; a < axes; a++)
        plain->place[a] =
            straight < 1.0f ? plain->place[a] + straight * (ahead[a] - plain->place[a]) : ahead[a];
    met |= keep_in(plain);
    for (int a = 0; a < 3; a++)
        for (int b = 0; b < 3 && (met >> a & 1); b++)
            plain->velocity[a] = plain->gradient[a][b] = 0.0f;
}

static Plain advance_plainly(const Setup *setup, int32_t slot, int64_t n)
{
    Plain plain = {.setup = setup, .slot = slot};
    const BwAdvance *advance = &setup->advance;
    float shift[3] = {0}, start[3] = {0};
    for (int a = 0; a < setup->grid->dimension; a++) {
        start[a] = plain.place[a] = setup->particles.column[BW_PARTICLE_X + a][n];
        plain.velocity[a] = setup->particles.column[BW_PARTICLE_U + a][n];
    }
    if (advance->velocity != NULL)
        take_velocity(&plain);
    for (int a = 0; a < setup->grid->dimension && advance->shift != NULL; a++)
        shift[a] = component_at(&plain, advance->shift, a, plain.place, NULL);
    for (int a = 0; a < 3; a++)
        plain.place[a] += shift[a];
    if (advance->shift != NULL)
        keep_in(&plain);
    if (advance->velocity != NULL)
        go(&plain, start);
    return plain;
}

static bool differs(const BwParticles *particles, const Plain *plain, int64_t n)
{
    bool differs = false;
    for (int a = 0; a < particles->grid->dimension; a++) {
        differs |= memcmp(&particles->column[BW_PARTICLE_X + a][n], &plain->place[a], sizeof(float)) != 0;
        differs |= memcmp(&particles->column[BW_PARTICLE_U + a][n], &plain->velocity[a], sizeof(float)) != 0;
        for (int b = 0; b < particles->grid->dimension && particles->has_gradient &&
                        plain->setup->advance.velocity != NULL;
             b++)
            differs |= memcmp(&particles->column[BW_PARTICLE_UX + 3 * a + b][n], &plain->gradient[a][b],
                              sizeof(float)) != 0;
    }
    return differs;
}

static void compare(Case c, int64_t *differing, int64_t *compared, int64_t *left)
{
    Setup setup;
    BwAdvancer *advancer;
    int stride = c.dimension == 3 ? 7 : 1; // comes by every lane
    setup_create(&setup, c);
    BwParticles *particles = &setup.particles;
    Plain *wanted = test_malloc((size_t)particles->count * sizeof *wanted);
    for (int32_t m = 0; m < setup.grid->tile_count; m++) {
        BwParticleRange range = bw_particle_range(particles, setup.grid->order[m]);
        for (int64_t n = range.begin; n < range.end; n += stride)
            wanted[n] = advance_plainly(&setup, setup.grid->order[m], n);
    }
    assert_int_equal(bw_advancer_create(&advancer, &particles->allocator, setup.pool, NULL), BW_OK);
    bw_particles_advance(particles, advancer, &setup.advance);
    for (int32_t m = 0; m < setup.grid->tile_count; m++) {
        BwParticleRange range = bw_particle_range(particles, setup.grid->order[m]);
        for (int64_t n = range.begin; n < range.end; n += stride) {
            *left += wanted[n].has_left;
            *compared += !wanted[n].has_left;
            *differing += !wanted[n].has_left && differs(particles, &wanted[n], n);
        }
    }
    bw_advancer_destroy(advancer);
    test_free(wanted);
    setup_destroy(&setup);
}

static void groups_move_as_single_particles_do(void **state)
{
    (void)state;
    static const Case cases[] = {{3, false, true, true, 0.12f}, {2, false, true, true, 0.2f},
                                 {3, false, true, true, 1.0f},  {3, true, false, true, 6.0f},
                                 {3, false, true, false, 0.0f}, {2, false, true, true, 1.0f},
                                 {2, true, false, true, 6.0f},  {2, false, true, false, 0.0f}};
    for (size_t n = 0; n < sizeof cases / sizeof cases[0]; n++) {
        int64_t differing = 0, compared = 0, left = 0;
        compare(cases[n], &differing, &compared, &left);
        assert_true(compared > 9 * left);
        gate(cases[n].dimension == 3 ? "advance_differing_particles_3d" : "advance_differing_particles_2d",
             (double)differing, GATE_BELOW, 0);
    }
}

// The mean of what gravity gives particles that are loose below the lower side of a sheet of liquid, of what
// it would give them in the air.
static double fallen_below_sheet(float thickness, bool holds_together)
{
    const float low = 10.0f;
    Setup setup;
    BwAdvancer *advancer;
    BwField phi;
    setup_create(&setup, (Case){3, false, false, true, 0.0f});
    assert_int_equal(bw_field_create(&phi, setup.grid, BW_AT_CELL, 0.0f, NULL), BW_OK);
    for (int32_t m = 0; m < setup.grid->tile_count; m++)
        for (int c = 0; c < setup.grid->tile_cells; c++) {
            int32_t slot = setup.grid->order[m];
            float y = (float)(BW_TILE * setup.grid->tiles[slot].coord.y + c / BW_TILE % BW_TILE) + 0.5f;
            bw_field_tile(&phi, slot)[c] = fmaxf(low - y, y - low - thickness);
        }
    setup.advance.phi = &phi;
    setup.advance.fall = bw_vec3(0.0f, -1.0f, 0.0f);
    setup.advance.holds_together = holds_together;
    for (int a = 0; a < 3; a++) // at rest before, as the grid is
        memset(setup.particles.column[BW_PARTICLE_U + a], 0,
               (size_t)setup.particles.count * sizeof *setup.particles.column[0]);
    assert_int_equal(bw_advancer_create(&advancer, &setup.particles.allocator, setup.pool, NULL), BW_OK);
    bw_particles_advance(&setup.particles, advancer, &setup.advance);
    double sum = 0.0, count = 0.0;
    for (int32_t m = 0; m < setup.grid->tile_count; m++) {
        int32_t slot = setup.grid->order[m];
        BwParticleRange range = bw_particle_range(&setup.particles, slot);
        for (int64_t n = range.begin; n < range.end; n++) {
            float y =
                (float)(BW_TILE * setup.grid->tiles[slot].coord.y) + setup.particles.column[BW_PARTICLE_Y][n];
            if (y > 9.0f && y < 9.2f) { // all of them loose
                sum -= (double)setup.particles.column[BW_PARTICLE_U + 1][n];
                count += 1.0;
            }
        }
    }
    assert_true(count > 100.0);
    bw_advancer_destroy(advancer);
    bw_field_destroy(&phi);
    setup_destroy(&setup);
    return sum / count;
}

// Water drips; what holds together draws its particles in, unless there is next to nothing of it.
static void what_is_loose_falls_or_comes_back(void **state)
{
    (void)state;
    gate("advance_loose_water_falls", fallen_below_sheet(4.0f, false), GATE_ABOVE, 0.99);
    gate("advance_loose_paste_comes_back", fallen_below_sheet(4.0f, true), GATE_BELOW, -0.99);
    gate("advance_loose_crumb_falls", fallen_below_sheet(0.5f, true), GATE_ABOVE, 0.99);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(groups_move_as_single_particles_do),
                                       cmocka_unit_test(what_is_loose_falls_or_comes_back)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
