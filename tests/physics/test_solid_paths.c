// Nothing is carried through a solid. Smoke on one side of a plate, a wind of three cells a step that blows
// right through it, as if there were no pressure, plates that stand, run with the wind, against it, and turn;
// thick, thinner than a cell, and without any thickness at all. What lies beyond the plate must stay clean.
#include "advect/advect.h"
#include "mesh_maker.h"
#include "run.h"

enum { WIDTH = 64, HEIGHT = 32, STEPS = 6 };

static const float h = 1.0f / 32.0f;

typedef struct Tunnel {
    BwGrid *grid;
    BwDomain domain;
    BwVelocity velocity;
    BwField density, next;
    BwAdvector *advector;
    BwSolidPose plate;
    BwShape shape;
} Tunnel;

// A plate across the tunnel, normal to x where it does not tilt; flat if it is not thick.
static BwShape plate_shape(float cells)
{
    float half = 0.5f * cells * h;
    if (cells == 0.0f)
        return (BwShape){.kind = BW_SHAPE_RECTANGLE, .b = {1.0f, 0.0f, 0.0f}, .size = {9.0f, 9.0f}};
    return (BwShape){.kind = BW_SHAPE_BOX, .a = {-half, -9.0f, -9.0f}, .b = {half, 9.0f, 9.0f}};
}

static BwPose pose_of(float x, float tilt)
{
    BwPose pose = bw_pose_identity();
    pose.position = bw_vec3(x, 0.5f, 0.0f);
    pose.rotation = bw_quat_turn(bw_vec3(0.0f, 0.0f, 1.0f), tilt);
    return pose;
}

// On which side of the plate a cell lies: above 0 is beyond it.
static float beyond(const Tunnel *tunnel, int32_t slot, int cell)
{
    const BwGrid *grid = tunnel->grid;
    BwVec3 at = bw_sample_position(grid, grid->tiles[slot].coord, cell, BW_AT_CELL);
    return bw_pose_to_local(tunnel->plate.pose, at).x;
}

static void tunnel_create(Tunnel *tunnel, int dimension, BwScheme carry, float cells, float tilt)
{
    int deep = dimension == 3 ? 8 : 1;
    BwGridDef def = {
        .cell_size = h, .dimension = dimension, .has_bounds = true, .bounds = {{0}, {WIDTH, HEIGHT, deep}}};
    assert_int_equal(bw_grid_create(&tunnel->grid, &def, NULL), BW_OK);
    BwGrid *grid = tunnel->grid;
    for (int n = 0; n < WIDTH / 8 * (HEIGHT / 8); n++) {
        BwTileCoord coord = {n % (WIDTH / 8), n / (WIDTH / 8), 0};
        assert_int_equal(bw_grid_wake(grid, &coord, 1, NULL), BW_OK);
    }
    assert_int_equal(bw_domain_create(&tunnel->domain, grid, NULL, NULL), BW_OK);
    assert_int_equal(bw_velocity_create(&tunnel->velocity, grid, bw_vec3(0, 0, 0), NULL), BW_OK);
    assert_int_equal(bw_field_create(&tunnel->density, grid, BW_AT_CELL, 0.0f, NULL), BW_OK);
    assert_int_equal(bw_field_create(&tunnel->next, grid, BW_AT_CELL, 0.0f, NULL), BW_OK);
    assert_int_equal(
        bw_advector_create(&tunnel->advector, grid, NULL, carry, (BwLentFields){.has_solids = true}, NULL),
        BW_OK);
    tunnel->shape = plate_shape(cells);
    tunnel->plate = (BwSolidPose){.shape = &tunnel->shape, .pose = pose_of(1.03f, tilt)};
    tunnel->plate.before = tunnel->plate.pose;
    bw_domain_label(&tunnel->domain, &tunnel->plate, 1);
    for (int32_t n = 0; n < grid->tile_count; n++)
        for (int c = 0; c < grid->tile_cells; c++) {
            int32_t slot = grid->order[n];
            bw_field_tile(&tunnel->velocity.u[0], slot)[c] = 3.0f * h;
            bw_field_tile(&tunnel->velocity.u[1], slot)[c] = 0.4f * h;
            bw_field_tile(&tunnel->density, slot)[c] = beyond(tunnel, slot, c) < 0.0f ? 1.0f : 0.0f;
        }
}

static void tunnel_destroy(Tunnel *tunnel)
{
    bw_advector_destroy(tunnel->advector);
    bw_field_destroy(&tunnel->density);
    bw_field_destroy(&tunnel->next);
    bw_velocity_destroy(&tunnel->velocity);
    bw_domain_destroy(&tunnel->domain);
    bw_grid_destroy(tunnel->grid);
}

static void tunnel_step(Tunnel *tunnel, float cells, float turn)
{
    BwSolidPose *plate = &tunnel->plate;
    plate->before = plate->pose;
    plate->pose.position.x += cells * h;
    plate->pose.rotation = bw_quat_mul(bw_quat_turn(bw_vec3(0.0f, 0.0f, 1.0f), turn), plate->pose.rotation);
    BwAdvectField field = {&tunnel->density, &tunnel->next};
    BwAdvectSet set = {.fields = &field, .count = 1, .valid = &tunnel->domain.scalar, .keeps_total = true};
    bw_advect(tunnel->advector, &tunnel->domain, &tunnel->velocity, (BwPathSolids){.list = plate, .count = 1},
              &set, 1, 1.0f);
    bw_field_swap(&tunnel->density, &tunnel->next);
    bw_domain_label(&tunnel->domain, plate, 1);
}

// The thickest smoke beyond the plate, and the thickest before it.
static void look(const Tunnel *tunnel, double *through, double *kept)
{
    const BwGrid *grid = tunnel->grid;
    for (int32_t n = 0; n < grid->tile_count; n++)
        for (int c = 0; c < grid->tile_cells; c++) {
            int32_t slot = grid->order[n];
            double value = (double)bw_field_tile(&tunnel->density, slot)[c];
            if (!bw_bit(bw_mask_tile(&tunnel->domain.open, slot), c))
                continue;
            *through = fmax(*through, beyond(tunnel, slot, c) > 0.0f ? value : 0.0);
            *kept = fmax(*kept, beyond(tunnel, slot, c) < 0.0f ? value : 0.0);
        }
}

static void run_tunnels(BwScheme carry, double *through, double *kept)
{
    static const float thick[] = {1.0f, 0.3f, 0.0f}, moves[] = {0.0f, 3.0f, -3.0f}, tilts[] = {0.0f, 0.5f};
    *through = 0.0;
    *kept = 1.0;
    int cases = carry == BW_SCHEME_MACCORMACK ? 36 : 18; // the second half in 3-D
    for (int n = 0; n < cases; n++) {
        Tunnel tunnel;
        double here = 0.0;
        tunnel_create(&tunnel, n < 18 ? 2 : 3, carry, thick[n % 3], tilts[n / 9 % 2]);
        for (int step = 0; step < STEPS; step++) {
            tunnel_step(&tunnel, moves[n / 3 % 3], n / 9 % 2 ? 0.05f : 0.0f);
            look(&tunnel, through, &here);
        }
        *kept = fmin(*kept, here);
        tunnel_destroy(&tunnel);
    }
}

static void nothing_is_carried_through_a_plate(void **state)
{
    (void)state;
    const char *names[] = {"semi_lagrangian", "cubic", "maccormack"};
    for (int carry = 0; carry <= BW_SCHEME_MACCORMACK; carry++) {
        char line[64];
        double through, kept;
        run_tunnels((BwScheme)carry, &through, &kept);
        snprintf(line, sizeof line, "smoke_through_plates_%s", names[carry]);
        gate(line, through, GATE_BELOW, 0.0);
        snprintf(line, sizeof line, "smoke_before_plates_%s", names[carry]);
        gate(line, kept, GATE_ABOVE, 0.99);
    }
}

// In a whole world: a plate one cell thick that does not fill the tunnel, driven three cells a step into
// smoke. Behind it nothing may be but what flows around its edges.
static double mass_behind(BwAdvection advection)
{
    BwSceneDef scene = smoke_scene(2, h);
    set_box(&scene, 3.0f, 1.0f, 0.0f);
    scene.gravity = bw_curve_vector(0.0f, 0.0f, 0.0f);
    scene.smoke.advection = advection;
    scene.walls.side[BW_LEFT].kind = scene.walls.side[BW_RIGHT].kind = BW_WALL_OPEN;
    BwFillDef fill = bw_fill_def_default();
    fill.shape = (BwShape){.kind = BW_SHAPE_BOX, .a = {0.9f, 0.4f, -9.0f}, .b = {9.0f, 0.6f, 9.0f}};
    scene.fills = &fill;
    scene.fill_count = 1;
    BwObstacleDef obstacle = bw_obstacle_def_default();
    obstacle.shape = (BwShape){.kind = BW_SHAPE_BOX, .a = {0.5f, 0.1f, -9.0f}, .b = {0.5f + h, 0.9f, 9.0f}};
    obstacle.motion.velocity = bw_curve_vector(3.0f * h * 24.0f, 0.0f, 0.0f);
    scene.obstacles = &obstacle;
    scene.obstacle_count = 1;
    scene.steps = 1;
    BwWorld *world = make_world(&scene, 1);
    double behind = 0.0, before = 0.0;
    for (int n = 1; n <= 7; n++) {
        step_frames(world, 1);
        const BwFrame *frame = frame_of(world);
        const BwFrameField *density = bw_frame_field(frame, "density");
        for (int i = 0; i < 96; i++)
            for (int j = 8; j < 24; j++) { // away from the edges
                double here = (double)frame_value(frame, density, i, j, 0);
                behind = fmax(behind, i <= 16 + 3 * n ? here : 0.0);
                before = fmax(before, i > 16 + 3 * n ? here : 0.0);
            }
    }
    assert_true(before > 0.9);
    bw_world_destroy(world);
    return behind;
}

static void a_fast_plate_drives_smoke_before_it(void **state)
{
    (void)state;
    gate("smoke_behind_fast_plate_maccormack", mass_behind(BW_ADVECT_MACCORMACK), GATE_BELOW, 0.0);
    gate("smoke_behind_fast_plate_reflection", mass_behind(BW_ADVECT_REFLECTION), GATE_BELOW, 0.0);
    gate("smoke_behind_fast_plate_cubic", mass_behind(BW_ADVECT_CUBIC), GATE_BELOW, 0.0);
}

// In one row of tiles; in all of them where that is negative.
static void set_wind(Tunnel *tunnel, int32_t row_of_tiles, float cells)
{
    const BwGrid *grid = tunnel->grid;
    for (int32_t n = 0; n < grid->tile_count; n++)
        for (int c = 0; c < grid->tile_cells; c++) {
            int32_t slot = grid->order[n];
            bool is_there = row_of_tiles < 0 || grid->tiles[slot].coord.y == row_of_tiles;
            bw_field_tile(&tunnel->velocity.u[0], slot)[c] = is_there ? cells * h : 0.0f;
            bw_field_tile(&tunnel->velocity.u[1], slot)[c] = 0.0f;
        }
}

// Paths longer than any block of samples end at the plate too, and do not see what is behind it.
static void nothing_is_carried_far_through_a_plate(void **state)
{
    (void)state;
    double through = 0.0, kept = 0.0;
    for (int carry = 0; carry <= BW_SCHEME_MACCORMACK; carry++) {
        Tunnel tunnel;
        tunnel_create(&tunnel, 2, (BwScheme)carry, 0.3f, 0.0f);
        set_wind(&tunnel, -1, 14.0f);
        tunnel_step(&tunnel, 0.0f, 0.0f);
        look(&tunnel, &through, &kept);
        tunnel_destroy(&tunnel);
    }
    gate("smoke_far_through_plates", through, GATE_BELOW, 0.0);
}

// Faces between a stream and still air go half as far as the stream. Those that belong to tiles of still air
// must not pass the plate either, however far those tiles are from it.
static void streams_beside_a_tile_count(void **state)
{
    (void)state;
    Tunnel tunnel;
    tunnel_create(&tunnel, 2, BW_SCHEME_LINEAR, 0.3f, 0.0f);
    const BwGrid *grid = tunnel.grid;
    set_wind(&tunnel, 1, 24.0f);
    tunnel.density.location = tunnel.next.location = BW_AT_FACE_Y;
    BwAdvectField field = {&tunnel.density, &tunnel.next};
    BwAdvectSet set = {.fields = &field, .count = 1, .valid = &tunnel.domain.face[1]};
    bw_advect(tunnel.advector, &tunnel.domain, &tunnel.velocity,
              (BwPathSolids){.list = &tunnel.plate, .count = 1}, &set, 1, 1.0f);
    double through = 0.0;
    for (int32_t n = 0; n < grid->tile_count; n++)
        for (int c = 0; c < grid->tile_cells; c++) {
            int32_t slot = grid->order[n];
            bool is_beyond = beyond(&tunnel, slot, c) > h;
            through = fmax(through, is_beyond ? (double)bw_field_tile(&tunnel.next, slot)[c] : 0.0);
        }
    gate("carried_through_beside_a_stream", through, GATE_BELOW, 0.0);
    tunnel_destroy(&tunnel);
}

// Bounds of distances, marks and all that makes paths beside solids fast must not show: a box with many
// solids, carried fast and plain, holds the same to the bit.
enum { CROWD = 5, CROWD_MAX = 70, CROWD_CELLS = 24 };

typedef struct Crowd {
    BwGrid *grid;
    BwPool *pool;
    BwDomain domain;
    BwVelocity velocity, next;
    BwField density, next_density;
    BwAdvector *advector;
    BwShape shapes[CROWD_MAX], parts[2];
    BwSolidPose solids[CROWD_MAX];
    int resting; // every so manieth stands still; 0: none
    int count;
} Crowd;

static void crowd_make_solids(Crowd *crowd)
{
    static Soup soup[4000];
    const Soup sheet[] = {{{{-0.2f, 0, -0.2f}, {-0.2f, 0, 0.2f}, {0.2f, 0.05f, 0.2f}}},
                          {{{-0.2f, 0, -0.2f}, {0.2f, 0.05f, 0.2f}, {0.2f, 0, -0.2f}}}};
    crowd->parts[0] = ball(0.0f, 0.0f, 0.0f, 0.1f);
    crowd->parts[1] = ball(0.06f, 0.02f, 0.0f, 0.08f);
    // A ring, thick for most of the paths where it is alone.
    crowd->shapes[0] = load_soup(soup, make_soup(soup, 48, 24, 0.2, crowd->count == 1 ? 0.15 : 0.05));
    crowd->shapes[1] = load_soup_as(sheet, 2, 0.02f);
    crowd->shapes[2] = ball(0.0f, 0.0f, 0.0f, 0.12f);
    crowd->shapes[3] = (BwShape){.kind = BW_SHAPE_DIFFERENCE, .parts = crowd->parts, .part_count = 2};
    crowd->shapes[4] =
        (BwShape){.kind = BW_SHAPE_BOX, .a = {-0.2f, -0.006f, -0.2f}, .b = {0.2f, 0.006f, 0.2f}};
    for (int n = CROWD; n < crowd->count; n++)
        crowd->shapes[n] = ball(0.0f, 0.0f, 0.0f, 0.01f + 0.001f * (float)(n % 30));
    for (int n = 0; n < crowd->count; n++) {
        crowd->solids[n] = (BwSolidPose){.shape = &crowd->shapes[n], .pose = bw_pose_identity()};
        crowd->solids[n].pose.position =
            n < CROWD
                ? bw_vec3(0.3f + 0.13f * (float)n, 0.3f + 0.2f * (float)(n % 3), 0.4f + 0.1f * (float)(n % 2))
                : bw_vec3(0.1f + 0.2f * (float)(n % 5), 0.1f + 0.2f * (float)(n / 5 % 5),
                          0.1f + 0.3f * (float)(n / 25));
        crowd->solids[n].before = crowd->solids[n].pose;
    }
}

static void crowd_fill(Crowd *crowd)
{
    const BwGrid *grid = crowd->grid;
    for (int32_t n = 0; n < grid->tile_count; n++)
        for (int c = 0; c < grid->tile_cells; c++) {
            int32_t slot = grid->order[n];
            BwVec3 at = bw_sample_position(grid, grid->tiles[slot].coord, c, BW_AT_CELL);
            bw_field_tile(&crowd->density, slot)[c] = 1.0f + sinf(20.0f * at.x) * cosf(17.0f * at.y);
            bw_field_tile(&crowd->velocity.u[0], slot)[c] = 0.08f * cosf(7.0f * at.y);
            bw_field_tile(&crowd->velocity.u[1], slot)[c] = 0.12f * sinf(5.0f * at.x + 3.0f * at.z);
            bw_field_tile(&crowd->velocity.u[2], slot)[c] = 0.05f * cosf(9.0f * at.x);
        }
}

static void crowd_create(Crowd *crowd, int count, BwScheme carry, int workers)
{
    const int cells = CROWD_CELLS, tiles = CROWD_CELLS / BW_TILE;
    BwGridDef def = {.cell_size = 1.0f / CROWD_CELLS,
                     .dimension = 3,
                     .has_bounds = true,
                     .bounds = {{0}, {cells, cells, cells}}};
    BwPoolDef pool = {.worker_count = workers};
    assert_int_equal(bw_pool_create(&crowd->pool, &pool, NULL), BW_OK);
    assert_int_equal(bw_grid_create(&crowd->grid, &def, NULL), BW_OK);
    for (int n = 0; n < tiles * tiles * tiles; n++) {
        BwTileCoord coord = {n % tiles, n / tiles % tiles, n / tiles / tiles};
        assert_int_equal(bw_grid_wake(crowd->grid, &coord, 1, NULL), BW_OK);
    }
    assert_int_equal(bw_domain_create(&crowd->domain, crowd->grid, crowd->pool, NULL), BW_OK);
    assert_int_equal(bw_velocity_create(&crowd->velocity, crowd->grid, bw_vec3(0, 0, 0), NULL), BW_OK);
    assert_int_equal(bw_velocity_create(&crowd->next, crowd->grid, bw_vec3(0, 0, 0), NULL), BW_OK);
    assert_int_equal(bw_field_create(&crowd->density, crowd->grid, BW_AT_CELL, 0.0f, NULL), BW_OK);
    assert_int_equal(bw_field_create(&crowd->next_density, crowd->grid, BW_AT_CELL, 0.0f, NULL), BW_OK);
    assert_int_equal(bw_advector_create(&crowd->advector, crowd->grid, crowd->pool, carry,
                                        (BwLentFields){.has_solids = true}, NULL),
                     BW_OK);
    crowd->count = count;
    crowd_make_solids(crowd);
    bw_domain_label(&crowd->domain, crowd->solids, count);
    crowd_fill(crowd);
}

static void crowd_destroy(Crowd *crowd)
{
    bw_advector_destroy(crowd->advector);
    bw_field_destroy(&crowd->density);
    bw_field_destroy(&crowd->next_density);
    bw_velocity_destroy(&crowd->velocity);
    bw_velocity_destroy(&crowd->next);
    bw_domain_destroy(&crowd->domain);
    bw_grid_destroy(crowd->grid);
    bw_pool_destroy(crowd->pool);
    for (int n = 0; n < 2; n++)
        bw_shape_file_destroy((BwShapeFile *)(uintptr_t)crowd->shapes[n].content);
}

static void crowd_step(Crowd *crowd, bool is_plain)
{
    for (int n = 0; n < crowd->count; n++) {
        BwSolidPose *solid = &crowd->solids[n];
        solid->before = solid->pose;
        if (crowd->resting > 0 && n % crowd->resting == 0)
            continue;
        solid->pose.position.x += 0.02f * (float)(n % CROWD - 2);
        solid->pose.rotation =
            bw_quat_mul(bw_quat_turn(bw_vec3(1.0f, (float)n, 0.5f), 0.2f), solid->pose.rotation);
    }
    BwAdvectField fields[4] = {{&crowd->density, &crowd->next_density}};
    BwAdvectSet sets[4] = {
        {.fields = fields, .count = 1, .valid = &crowd->domain.scalar, .keeps_total = true}};
    for (int a = 0; a < 3; a++) {
        fields[1 + a] = (BwAdvectField){&crowd->velocity.u[a], &crowd->next.u[a]};
        sets[1 + a] = (BwAdvectSet){.fields = &fields[1 + a], .count = 1, .valid = &crowd->domain.face[a]};
    }
    BwPathSolids solids = {.list = crowd->solids, .count = crowd->count, .is_plain = is_plain};
    bw_advect(crowd->advector, &crowd->domain, &crowd->velocity, solids, sets, 4, 1.0f);
    bw_field_swap(&crowd->density, &crowd->next_density);
    for (int a = 0; a < 3; a++)
        bw_field_swap(&crowd->velocity.u[a], &crowd->next.u[a]);
    bw_domain_label(&crowd->domain, crowd->solids, crowd->count);
}

// How many values of a field the two hold apart.
static int apart(const BwGrid *grid, const BwField *a, const BwField *b)
{
    int count = 0;
    for (int32_t n = 0; n < grid->tile_count; n++)
        for (int c = 0; c < grid->tile_cells; c++)
            count += memcmp(&bw_field_tile(a, grid->order[n])[c], &bw_field_tile(b, grid->order[n])[c],
                            sizeof(float)) != 0;
    return count;
}

static int fast_apart_from_plain(int count, BwScheme carry, int resting)
{
    Crowd fast, plain;
    crowd_create(&fast, count, carry, 2);
    crowd_create(&plain, count, carry, 1);
    fast.resting = plain.resting = resting;
    for (int step = 0; step < 2; step++) {
        crowd_step(&fast, false);
        crowd_step(&plain, true);
    }
    int differ = apart(fast.grid, &fast.density, &plain.density);
    for (int a = 0; a < 3; a++)
        differ += apart(fast.grid, &fast.velocity.u[a], &plain.velocity.u[a]);
    crowd_destroy(&fast);
    crowd_destroy(&plain);
    return differ;
}

static void fast_and_plain_carry_the_same(void **state)
{
    (void)state;
    int differ = 0;
    for (int carry = 0; carry <= BW_SCHEME_MACCORMACK; carry++)
        differ += fast_apart_from_plain(CROWD, (BwScheme)carry, 0);
    gate("fast_paths_that_differ_from_plain_ones", (double)differ, GATE_BELOW, 0.0);
    // More than the sets of a tile's solids have bits for.
    gate("fast_paths_past_many_that_differ", (double)fast_apart_from_plain(CROWD_MAX, BW_SCHEME_LINEAR, 0),
         GATE_BELOW, 0.0);
    // What is kept of distances to those that rest, beside others that move, and alone.
    differ = fast_apart_from_plain(CROWD, BW_SCHEME_MACCORMACK, 2) +
             fast_apart_from_plain(CROWD, BW_SCHEME_LINEAR, 1);
    gate("fast_paths_past_resting_that_differ", (double)differ, GATE_BELOW, 0.0);
    differ = fast_apart_from_plain(1, BW_SCHEME_MACCORMACK, 0) +
             fast_apart_from_plain(1, BW_SCHEME_MACCORMACK, 1) +
             fast_apart_from_plain(1, BW_SCHEME_LINEAR, 0);
    gate("fast_paths_past_thick_that_differ", (double)differ, GATE_BELOW, 0.0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nothing_is_carried_through_a_plate),
        cmocka_unit_test(a_fast_plate_drives_smoke_before_it),
        cmocka_unit_test(nothing_is_carried_far_through_a_plate),
        cmocka_unit_test(streams_beside_a_tile_count),
        cmocka_unit_test(fast_and_plain_carry_the_same),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
