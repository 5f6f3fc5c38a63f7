// Solids and particles: after no step is a particle inside a solid, whether it stands still, is thinner than
// a cell, turns, or moves three cells a step through water; none gets lost, and none gets through a plate.
// What leaves through an open side is counted.
#include "liquid_run.h"

#include <stdio.h>
#include <stdlib.h>

#ifdef FULL_SIZE
enum { CELLS_2D = 64, CELLS_3D = 40, STEPS = 400 };
#else
enum { CELLS_2D = 32, CELLS_3D = 16, STEPS = 120 };
#endif

// The smallest distance of any particle from any solid, in cells.
static double least_distance(const BwFrame *frame)
{
    const BwFrameParticles *water = water_of(frame);
    double least = 1e9;
    for (int64_t p = 0; p < water->count; p++) {
        double place[3];
        bw_frame_particle_place(frame, water, p, place);
        BwVec3 point = bw_vec3((float)place[0], (float)place[1], (float)place[2]);
        for (int s = 0; s < frame->solid_count; s++) {
            BwVec3 local = bw_pose_to_local(frame->solids[s].pose, point);
            least = fmin(least, (double)bw_shape_distance(frame->solids[s].shape, local));
        }
    }
    return least / (double)frame->cell_size;
}

typedef struct Watched {
    double least;   // cells, over all steps
    double lost;    // 1, of the particles' volume
    double removed; // m^3, told as removed
    double speed;   // m/s, the largest
    double drift;   // 1
} Watched;

static Watched watch(const BwSceneDef *scene, int steps)
{
    Watched watched = {.least = 1e9};
    BwWorld *world = make_world(scene, 1);
    double volume = water_volume(frame_of(world));
    watched.least = least_distance(frame_of(world));
    for (int step = 0; step < steps; step++) {
        step_frames(world, 1);
        const BwFrame *frame = frame_of(world);
        watched.least = fmin(watched.least, least_distance(frame));
        watched.speed = fmax(watched.speed, (double)bw_world_view_stats(world)->max_speed);
        watched.lost = 1.0 - water_volume(frame) / volume;
        for (int why = 0; why < BW_REMOVED_COUNT; why++)
            watched.removed += bw_world_view_stats(world)->removed[why];
    }
    watched.drift = fabs(bw_world_view_stats(world)->volume_drift);
    bw_world_destroy(world);
    return watched;
}

// Water that falls a metre has 4.4 m/s; what is thrown up at walls and solids is faster for a moment.
#define SPLASH_SPEED 15.0

static void gate_watched(const char *name, const Watched *watched, double speed_max)
{
    char text[96];
    printf("%s: largest speed %.3g m/s, volume off by %.4f\n", name, watched->speed, watched->drift);
    snprintf(text, sizeof text, "liquid_solid_distance_cells_%s", name);
    gate(text, watched->least, GATE_ABOVE, 0.0);
    snprintf(text, sizeof text, "liquid_solid_volume_lost_%s", name);
    gate(text, fabs(watched->lost), GATE_BELOW, 1e-6);
    assert_true(watched->removed == 0.0);
    snprintf(text, sizeof text, "liquid_solid_speed_%s", name);
    gate(text, watched->speed, GATE_BELOW, speed_max);
}

typedef struct Case {
    BwSceneDef scene;
    BwFillDef fill;
    BwObstacleDef obstacle;
} Case;

static void make_case(Case *c, int dimension, BwLiquidMethod method, BwShape shape)
{
    int n = dimension == 3 ? CELLS_3D : CELLS_2D;
    c->scene = liquid_scene(dimension, 1.0f / (float)n, method);
    c->fill = fill_corner(0.4f, 0.7f, 1.0f);
    c->obstacle = solid_of(shape);
    set_box(&c->scene, 1.0f, 1.0f, 1.0f);
    c->scene.liquid.seeding = BW_SEEDING_JITTERED;
    c->scene.steps = 1;
    c->scene.fps = 2.0 * n;
    c->scene.fills = &c->fill;
    c->scene.fill_count = 1;
    c->scene.obstacles = &c->obstacle;
    c->scene.obstacle_count = 1;
}

static BwShape slab(float x0, float y0, float x1, float y1, int dimension)
{
    return bw_box(bw_vec3(x0, y0, dimension == 3 ? -0.1f : -1.0f),
                  bw_vec3(x1, y1, dimension == 3 ? 1.1f : 1.0f));
}

static void a_dam_breaks_over_a_ball(void **state)
{
    (void)state;
    for (int dimension = 2; dimension <= 3; dimension++)
        for (int method = BW_LIQUID_APIC; method <= BW_LIQUID_FLIP; method++) {
            Case c;
            char name[64];
            make_case(&c, dimension, (BwLiquidMethod)method,
                      ball(0.6f, 0.12f, dimension == 3 ? 0.5f : 0.0f, 0.16f));
            Watched watched = watch(&c.scene, STEPS);
            snprintf(name, sizeof name, "ball_%dd_%s", dimension, method_name((BwLiquidMethod)method));
            gate_watched(name, &watched, SPLASH_SPEED);
        }
}

// A dam of a tenth of a cell holds water that leans on it, and what falls over it stays outside.
static void a_thin_plate_holds_water(void **state)
{
    (void)state;
    for (int dimension = 2; dimension <= 3; dimension++) {
        Case c;
        char name[64];
        float h = 1.0f / (float)(dimension == 3 ? CELLS_3D : CELLS_2D);
        make_case(&c, dimension, BW_LIQUID_APIC, slab(0.55f, -1.0f, 0.55f + 0.1f * h, 0.4f, dimension));
        Watched watched = watch(&c.scene, STEPS);
        snprintf(name, sizeof name, "thin_plate_%dd", dimension);
        gate_watched(name, &watched, SPLASH_SPEED);
    }
}

static void a_box_turns_in_water(void **state)
{
    (void)state;
    for (int dimension = 2; dimension <= 3; dimension++)
        for (int method = BW_LIQUID_APIC; method <= BW_LIQUID_FLIP; method++) {
            if (dimension == 3 && method == BW_LIQUID_FLIP && !IS_FULL)
                continue;
            Case c;
            char name[64];
            float depth = dimension == 3 ? 0.2f : 1.0f;
            make_case(&c, dimension, (BwLiquidMethod)method,
                      bw_box(bw_vec3(-0.3f, -0.06f, -depth), bw_vec3(0.3f, 0.06f, depth)));
            c.fill = fill_corner(1.0f, 0.5f, 1.0f);
            c.obstacle.motion.position = bw_curve_vector(0.5f, 0.4f, dimension == 3 ? 0.5f : 0.0f);
            c.obstacle.motion.spin = bw_curve_vector(0.0f, 0.0f, 6.0f);
            Watched watched = watch(&c.scene, STEPS);
            snprintf(name, sizeof name, "turning_box_%dd_%s", dimension, method_name((BwLiquidMethod)method));
            gate_watched(name, &watched, SPLASH_SPEED);
        }
}

// To and fro, three cells a step.
static BwResult swept(void *user, double time, float value[4], BwError *err)
{
    (void)err;
    const BwSceneDef *scene = user;
    double step = time * scene->fps, way = 3.0 * (double)scene->cell * step;
    double phase = fmod(way, 1.2);
    value[0] = (float)(0.2 + (phase < 0.6 ? phase : 1.2 - phase));
    value[1] = 0.0f;
    value[2] = 0.0f;
    return BW_OK;
}

// A plate that reaches from wall to wall under water leaves no way round but over it and through a gap of a
// third of its height, where water is three times as fast as the plate, and at the edges twice that.
static void a_fast_plate_neither_traps_nor_loses(void **state)
{
    (void)state;
    for (int dimension = 2; dimension <= 3; dimension++)
        for (int thin = 0; thin <= 1; thin++) {
            Case c;
            char name[64];
            float h = 1.0f / (float)(dimension == 3 ? CELLS_3D : CELLS_2D),
                  width = thin ? 0.1f * h : 2.0f * h;
            make_case(&c, dimension, BW_LIQUID_APIC, slab(0.0f, 0.1f, width, 0.4f, dimension));
            c.fill = fill_corner(1.0f, 0.5f, 1.0f);
            c.obstacle.motion.position = bw_curve_function(swept, &c.scene, 3);
            double plate_speed = 3.0 * (double)h * c.scene.fps;
            Watched watched = watch(&c.scene, STEPS / 2);
            snprintf(name, sizeof name, "fast_plate_%s_%dd", thin ? "thin" : "thick", dimension);
            gate_watched(name, &watched, 2.0 * plate_speed * 0.3 / 0.1);
        }
}

// The same, nine cells a step, through water with a core: it makes way, and leaves no particles inside.
static BwResult hurled(void *user, double time, float value[4], BwError *err)
{
    return swept(user, 3.0 * time, value, err);
}

static void a_plate_crosses_a_core(void **state)
{
    (void)state;
    for (int dimension = 2; dimension <= 3; dimension++) {
        Case c;
        char name[64];
        float h = 1.0f / (float)(dimension == 3 ? CELLS_3D : CELLS_2D);
        make_case(&c, dimension, BW_LIQUID_APIC, slab(0.0f, 0.2f, 2.0f * h, 0.5f, dimension));
        c.fill = fill_corner(1.0f, 0.9f, 1.0f);
        c.scene.liquid.narrow_band = NAN;
        c.obstacle.motion.position = bw_curve_function(hurled, &c.scene, 3);
        Watched watched = watch(&c.scene, 20);
        printf("plate through a core: largest speed %.3g m/s\n", watched.speed);
        snprintf(name, sizeof name, "liquid_solid_distance_cells_core_%dd", dimension);
        gate(name, watched.least, GATE_ABOVE, 0.0);
        assert_true(watched.removed == 0.0);
    }
}

// A piston from wall to wall: nothing that was before it gets behind.
static BwResult pushed(void *user, double time, float value[4], BwError *err)
{
    (void)err;
    const BwSceneDef *scene = user;
    value[0] = (float)(0.1 + fmin(3.0 * (double)scene->cell * time * scene->fps, 0.55));
    value[1] = value[2] = 0.0f;
    return BW_OK;
}

static double most_behind(const BwFrame *frame)
{
    const BwFrameParticles *water = water_of(frame);
    double piston = (double)frame->solids[0].pose.position.x, behind = 0.0;
    for (int64_t p = 0; p < water->count; p++) {
        double place[3];
        bw_frame_particle_place(frame, water, p, place);
        behind = fmax(behind, piston - place[0]);
    }
    return behind / (double)frame->cell_size;
}

static void nothing_gets_through_a_piston(void **state)
{
    (void)state;
    for (int dimension = 2; dimension <= 3; dimension++) {
        Case c;
        char name[64];
        float h = 1.0f / (float)(dimension == 3 ? CELLS_3D : CELLS_2D);
        double behind = 0.0, least = 1e9;
        make_case(&c, dimension, BW_LIQUID_APIC, slab(0.0f, -1.0f, 0.1f * h, 2.0f, dimension));
        c.fill = fill_of(slab(0.15f, -1.0f, 1.0f, 0.3f, dimension));
        c.obstacle.motion.position = bw_curve_function(pushed, &c.scene, 3);
        BwWorld *world = make_world(&c.scene, 1);
        for (int step = 0; step < STEPS / 2; step++) {
            step_frames(world, 1);
            behind = fmax(behind, most_behind(frame_of(world)));
            least = fmin(least, least_distance(frame_of(world)));
        }
        snprintf(name, sizeof name, "liquid_solid_cells_behind_a_piston_%dd", dimension);
        gate(name, behind, GATE_BELOW, 0.0);
        snprintf(name, sizeof name, "liquid_solid_distance_cells_piston_%dd", dimension);
        gate(name, least, GATE_ABOVE, 0.0);
        bw_world_destroy(world);
    }
}

// Water that runs off an open side.
static void what_leaves_is_counted(void **state)
{
    (void)state;
    for (int dimension = 2; dimension <= 3; dimension++) {
        Case c;
        char name[64];
        double removed = 0.0;
        make_case(&c, dimension, BW_LIQUID_APIC, ball(0.6f, 0.1f, dimension == 3 ? 0.5f : 0.0f, 0.1f));
        c.scene.walls.side[BW_RIGHT].kind = BW_WALL_OPEN;
        BwWorld *world = make_world(&c.scene, 1);
        double start = water_volume(frame_of(world)), left = start;
        double mass = bw_world_view_stats(world)->mass;
        for (int step = 0; step < STEPS; step++) {
            step_frames(world, 1);
            removed += bw_world_view_stats(world)->removed[BW_REMOVED_OPEN];
            left = water_volume(frame_of(world));
            assert_int_equal(water_of(frame_of(world))->count, bw_world_view_stats(world)->particles);
        }
        printf("%g of %g m^3 left\n", start - left, start);
        snprintf(name, sizeof name, "liquid_open_volume_left_share_%dd", dimension);
        gate(name, (start - left) / start, GATE_ABOVE, 0.2);
        snprintf(name, sizeof name, "liquid_open_volume_counted_%dd", dimension);
        gate(name, fabs(removed / mass * start / (start - left) - 1.0), GATE_BELOW, 1e-6);
        snprintf(name, sizeof name, "liquid_open_mass_left_%dd", dimension);
        gate(name, fabs((bw_world_view_stats(world)->mass + removed) / mass - 1.0), GATE_BELOW, 1e-6);
        bw_world_destroy(world);
    }
}

// Water on a shelf, or beside a wall, that is dry behind: `thickness` and `offset`, where it begins in a
// cell, in cells.
static void gate_thin_wall(bool is_shelf, float thickness, float offset)
{
    const float h = 1.0f / 32.0f, low = (9.0f + offset) * h, high = low + thickness * h;
    BwSceneDef scene = liquid_scene(2, h, BW_LIQUID_APIC);
    BwObstacleDef wall = solid_of(is_shelf ? bw_box(bw_vec3(-0.1f, low, -1.0f), bw_vec3(1.1f, high, 1.0f))
                                           : bw_box(bw_vec3(low, -0.1f, -1.0f), bw_vec3(high, 0.8f, 1.0f)));
    BwFillDef fill = fill_of(is_shelf ? bw_box(bw_vec3(0.0f, high, -1.0f), bw_vec3(1.0f, 0.7f, 1.0f))
                                      : bw_box(bw_vec3(high, 0.0f, -1.0f), bw_vec3(1.0f, 0.4f, 1.0f)));
    char name[96];
    set_box(&scene, 1.0f, 1.0f, 1.0f);
    scene.liquid.seeding = BW_SEEDING_JITTERED;
    scene.steps = 4;
    scene.fills = &fill;
    scene.fill_count = 1;
    scene.obstacles = &wall;
    scene.obstacle_count = 1;
    BwWorld *world = make_world(&scene, 1);
    step_frames(world, 48);
    WaterSums sums = water_sums(frame_of(world));
    snprintf(name, sizeof name, "liquid_%s_%g_thick_at_%g", is_shelf ? "shelf" : "wall", (double)thickness,
             (double)offset);
    printf("%s: speed %.4f m/s\n", name, sqrt(2.0 * sums.kinetic));
    gate(name, fabs(bw_world_view_stats(world)->volume_drift), GATE_BELOW, 0.02);
    assert_true(sqrt(2.0 * sums.kinetic) < 0.1);
    bw_world_destroy(world);
}

static void thin_walls_hold_water_that_is_dry_behind(void **state)
{
    (void)state;
    for (int part = 0; part < 4; part++)
        for (int is_shelf = 0; is_shelf <= 1; is_shelf++) {
            gate_thin_wall(is_shelf == 1, 1.0f, 0.25f * (float)part);
            gate_thin_wall(is_shelf == 1, 0.4f, 0.25f * (float)part);
        }
}

// The cells of a box of water that a solid takes a part of. The box is whole above.
static double filled_cells(BwShape solid, BwVec3 low, BwVec3 high, BwLiquidSeeding seeding)
{
    const float h = 1.0f / 32.0f;
    BwSceneDef scene = liquid_scene(3, h, BW_LIQUID_APIC);
    BwFillDef fill = fill_of(bw_box(bw_mul(low, h), bw_mul(high, h)));
    BwObstacleDef obstacle = solid_of(solid);
    set_box(&scene, 1.0f, 1.0f, 1.0f);
    scene.liquid.seeding = seeding;
    scene.fills = &fill;
    scene.obstacles = &obstacle;
    scene.fill_count = scene.obstacle_count = 1;
    BwWorld *world = make_world(&scene, 1);
    const BwFrameParticles *water = water_of(frame_of(world));
    double highest = 0.0, whole = 0.0, sum = water_volume(frame_of(world));
    for (int64_t p = 0; p < water->count; p++) {
        double place[3];
        bw_frame_particle_place(frame_of(world), water, p, place);
        if (place[1] > highest) {
            highest = place[1];
            whole = (double)water_volumes(water)[p];
        }
    }
    bw_world_destroy(world);
    return sum / whole / 8.0; // of a cell there are eight
}

// A fill holds the volume of its shape that is outside of solids: around a ball, and where it ends just where
// a solid begins, wherever in a cell that is.
static void fills_hold_what_solids_leave(void **state)
{
    (void)state;
    const double pi = 3.14159265358979323846, ball_cells = 4.0 / 3.0 * pi * 125.0;
    const float h = 1.0f / 32.0f;
    double worst = 0.0;
    for (int seeding = BW_SEEDING_JITTERED; seeding <= BW_SEEDING_LATTICE; seeding++) {
        double left = filled_cells(ball(12.3f * h, 11.6f * h, 12.9f * h, 5.0f * h), bw_vec3(4.0f, 4.0f, 4.0f),
                                   bw_vec3(20.0f, 20.0f, 20.0f), (BwLiquidSeeding)seeding);
        gate(seeding == BW_SEEDING_LATTICE ? "liquid_fill_around_a_ball_lattice"
                                           : "liquid_fill_around_a_ball_jittered",
             fabs(4096.0 - left - ball_cells) / ball_cells, GATE_BELOW, 0.01);
        for (int part = 0; part < 8; part++) {
            float top = 9.0f + 0.125f * (float)part;
            double above = filled_cells(bw_box(bw_vec3(-1.0f, -1.0f, -1.0f), bw_vec3(2.0f, top * h, 2.0f)),
                                        bw_vec3(4.0f, top, 4.0f), bw_vec3(12.0f, 13.0f, 12.0f),
                                        (BwLiquidSeeding)seeding);
            worst = fmax(worst, fabs(above / (64.0 * (13.0 - (double)top)) - 1.0));
        }
    }
    gate("liquid_fill_on_a_solid", worst, GATE_BELOW, 0.01);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_dam_breaks_over_a_ball),
        cmocka_unit_test(a_thin_plate_holds_water),
        cmocka_unit_test(a_box_turns_in_water),
        cmocka_unit_test(a_fast_plate_neither_traps_nor_loses),
        cmocka_unit_test(a_plate_crosses_a_core),
        cmocka_unit_test(nothing_gets_through_a_piston),
        cmocka_unit_test(what_leaves_is_counted),
        cmocka_unit_test(thin_walls_hold_water_that_is_dry_behind),
        cmocka_unit_test(fills_hold_what_solids_leave),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
