// The watch on runaway flows: growth that nothing explains is found and said once, with its place; flows that
// something drives are left alone, however fast. And steps that are cut short by steps_max are told, and
// liquid that is pressed together, and obstacles that jump.
#include "../physics/run.h"

#include "solvers/liquid.h"
#include "world/runaway.h"
#include "world/stepping.h"

#include <stdio.h>
#include <stdlib.h>

static BwStats stats_of(float speed, double energy)
{
    return (BwStats){.max_speed = speed, .kinetic_energy = energy};
}

// A plume under a lid 2 m up: 3.6 m/s^2, so 3.8 m/s at most.
static const BwDrive plume = {.speed = 0.5f, .acceleration = 3.6f, .length = 2.0f};

static int frames_until_found(const BwDrive *drive, float from, float growth, int frames)
{
    BwStats start = stats_of(0.0f, 0.0);
    BwRunawayWatch watch = bw_runaway_begin(&start);
    float speed = from;
    for (int n = 1; n <= frames; n++, speed *= growth) {
        BwStats stats = stats_of(speed, (double)(speed * speed));
        if (bw_runaway_look(&watch, drive, 1.0 / 24.0, 1.0, &stats))
            return n;
    }
    return 0;
}

// From 3.6 m/s, 5% a frame: past three times 3.8 m/s after 24 frames, and four of them make sure.
static void growth_without_a_source_is_found(void **state)
{
    (void)state;
    BwStats start = stats_of(0.0f, 0.0);
    BwRunawayWatch watch = bw_runaway_begin(&start);
    for (int n = 0; n < 60; n++) { // 2.5 s: the plume has risen
        BwStats stats = stats_of(fminf(3.6f, 0.15f * (float)n), 1.0);
        assert_false(bw_runaway_look(&watch, &plume, 1.0 / 24.0, 1.0, &stats));
    }
    int found = 0;
    float speed = 3.6f;
    for (int n = 1; n <= 60 && found == 0; n++) {
        speed *= 1.05f;
        BwStats stats = stats_of(speed, (double)(speed * speed));
        found = bw_runaway_look(&watch, &plume, 1.0 / 24.0, 1.0, &stats) ? n : 0;
        assert_true(stats.runaway.explained_speed < 3.9f);
    }
    gate("runaway_found_at_frame", found, GATE_BELOW, 28);
    gate("runaway_not_found_before", found, GATE_ABOVE, 24);
}

static void squeezes_pass(void **state)
{
    (void)state;
    BwDrive piston = {.imposed_speed = 1.0f, .length = 1.0f};
    assert_int_equal(frames_until_found(&piston, 9.0f, 1.0f, 100), 0);  // through a gap of a ninth
    assert_int_equal(frames_until_found(&piston, 40.0f, 1.0f, 3), 0);   // for a moment
    assert_int_equal(frames_until_found(&piston, 40.0f, 1.0f, 100), 4); // and not for ever
}

// A pump has pressed water through a gap, and ends; the jet takes its time to come to rest.
static void what_has_been_squeezed_may_come_to_rest(void **state)
{
    (void)state;
    BwDrive pump = {.imposed_speed = 1.0f, .length = 1.0f}, none = {.length = 1.0f};
    BwStats start = stats_of(0.0f, 0.0);
    BwRunawayWatch watch = bw_runaway_begin(&start);
    float speed = 9.0f;
    for (int n = 0; n < 60; n++, speed *= n < 6 ? 1.0f : 0.98f) {
        BwStats stats = stats_of(speed, 1.0);
        assert_false(bw_runaway_look(&watch, n < 6 ? &pump : &none, 1.0 / 24.0, 1.0, &stats));
    }
    int found = 0;
    speed = 9.5f; // and no faster than it was
    for (int n = 1; n <= 10 && found == 0; n++) {
        BwStats stats = stats_of(speed, 1.0);
        found = bw_runaway_look(&watch, &none, 1.0 / 24.0, 1.0, &stats) ? n : 0;
    }
    assert_int_equal(found, 4);
}

static double share_given(const void *fluid, float speed)
{
    (void)speed;
    return *(const double *)fluid;
}

// Single drops of a splash are faster than anything explains; a thousandth of all the water is not.
static void spray_passes(void **state)
{
    (void)state;
    double share = 0.9e-3;
    BwDrive fall = {.acceleration = 9.81f, .length = 1.0f, .share_above = share_given, .fluid = &share};
    assert_int_equal(frames_until_found(&fall, 15.0f, 1.0f, 100), 0);
    share = 1.1e-3;
    assert_int_equal(frames_until_found(&fall, 15.0f, 1.0f, 100), 4);
}

// A push without end, round a vortex or along a periodic box, makes any speed in time.
static void speed_grows_with_time_where_the_way_has_no_end(void **state)
{
    (void)state;
    BwDrive vortex = {.acceleration = 5.0f, .length = INFINITY};
    BwStats start = stats_of(0.0f, 0.0);
    BwRunawayWatch watch = bw_runaway_begin(&start);
    for (int n = 1; n <= 1000; n++) {
        BwStats stats = stats_of(5.0f * (float)n / 24.0f, (double)n);
        assert_false(bw_runaway_look(&watch, &vortex, 1.0 / 24.0, 1.0, &stats));
    }
}

static void energy_out_of_nothing_is_found(void **state)
{
    (void)state;
    BwDrive nothing = {.length = 1.0f, .is_closed = true};
    BwStats start = stats_of(1.0f, 10.0);
    BwRunawayWatch watch = bw_runaway_begin(&start);
    const double energy[] = {10.0, 9.0, 8.0, 8.2, 9.9, 10.1};
    for (int n = 0; n < 6; n++) {
        BwStats stats = stats_of(1.0f, energy[n]);
        assert_int_equal(bw_runaway_look(&watch, &nothing, 1.0 / 24.0, 1.0, &stats), energy[n] > 1.25 * 8.0);
    }
}

// What a run that goes on knows.
static void the_watch_is_kept(void **state)
{
    (void)state;
    BwRecord record = {.allocator = bw_allocator_or_default((BwAllocator){0})};
    BwStats stats = stats_of(7.0f, 1.0);
    BwRunawayWatch watch = bw_runaway_begin(&stats), back = {0};
    bw_runaway_look(&watch, &plume, 1.0, 1.0, &stats);
    assert_int_equal(bw_runaway_save(&watch, &record, NULL), BW_OK);
    assert_int_equal(bw_runaway_load(&back, &record, &stats, NULL), BW_OK);
    assert_memory_equal(&watch, &back, sizeof watch);
    bw_record_clear(&record);
    assert_int_equal(bw_runaway_load(&back, &record, &stats, NULL), BW_OK);
    assert_true(back.speed == 7.0);
    bw_record_free(&record);
}

typedef struct Heard {
    int count;
    char last[1000];
} Heard;

static void hear(void *user, BwLogLevel level, const char *message)
{
    Heard *heard = user;
    (void)level;
    heard->count++;
    snprintf(heard->last, sizeof heard->last, "%s", message);
}

static BwWorld *listen(const BwSceneDef *scene, Heard *heard)
{
    BwWorld *world;
    BwError err = {0};
    BwWorldDef def = bw_world_def_default();
    def.scene = scene;
    def.worker_count = 1;
    def.log = (BwLog){.write = hear, .user = heard};
    if (bw_world_create(&world, &def, &err) != BW_OK)
        fail_msg("%s", err.message);
    return world;
}

// Hot gas under a closed lid, from rest to rolls.
static void an_honest_plume_passes(void **state)
{
    (void)state;
    BwSceneDef scene = smoke_scene(2, 1.0f / 24.0f);
    set_box(&scene, 1.0f, 2.0f, 0.0f);
    BwEmitterDef emitter = bw_emitter_def_default();
    emitter.shape = ball(0.5f, 0.2f, 0.0f, 0.12f);
    emitter.density = bw_curve_number(1.0f);
    emitter.temperature = bw_curve_number(450.0f);
    scene.emitters = &emitter;
    scene.emitter_count = 1;
    Heard heard = {0};
    BwWorld *world = listen(&scene, &heard);
    double most = 0.0;
    for (int n = 0; n < 96; n++) {
        step_frames(world, 1);
        const BwStats *stats = bw_world_view_stats(world);
        most = fmax(most, (double)(stats->max_speed / stats->runaway.explained_speed));
    }
    gate("plume_speed_over_explained", most, GATE_BELOW, 1.5);
    assert_int_equal(heard.count, 0);
    bw_world_destroy(world);
}

// In a flat box of 1 m, about its middle.
static BwObstacleDef turning(BwShape shape, float spin)
{
    BwObstacleDef obstacle = bw_obstacle_def_default();
    obstacle.shape = shape;
    obstacle.motion.position = bw_curve_vector(0.5f, 0.5f, 0.0f);
    obstacle.motion.spin = bw_curve_vector(0.0f, 0.0f, spin);
    return obstacle;
}

// 0.8 m long, and endless along z as scripts make them.
static BwShape paddle(void)
{
    return bw_box(bw_vec3(-0.4f, -0.05f, -INFINITY), bw_vec3(0.4f, 0.05f, INFINITY));
}

static float speed_explained_by(BwObstacleDef obstacle)
{
    BwSceneDef scene = smoke_scene(2, 1.0f / 16.0f);
    set_box(&scene, 1.0f, 1.0f, 0.0f);
    scene.obstacles = &obstacle;
    scene.obstacle_count = 1;
    BwWorld *world = make_world(&scene, 1);
    step_frames(world, 1);
    float speed = bw_world_view_stats(world)->runaway.explained_speed;
    bw_world_destroy(world);
    return speed;
}

// The tip of the paddle is 0.403 m from its axis, and the fluid 0.707 m at most: a half-space drives it from
// there, but bounds of the half-space are a box, whose corner may be twice as far.
static void solids_without_end_drive_by_turning(void **state)
{
    (void)state;
    double tip = (double)speed_explained_by(turning(paddle(), 20.0f)) / 20.0;
    gate("paddle_radius_least", tip, GATE_ABOVE, 0.400);
    gate("paddle_radius_most", tip, GATE_BELOW, 0.406);
    BwShape ground = bw_plane(bw_vec3(0.0f, 0.0f, 0.0f), bw_vec3(0.0f, 1.0f, 0.0f));
    double far = (double)speed_explained_by(turning(ground, 20.0f)) / 20.0;
    gate("half_space_radius_least", far, GATE_ABOVE, 0.700);
    gate("half_space_radius_most", far, GATE_BELOW, 1.415);
}

// Its tips go at 24 m/s through water that alone falls at 4.4 m/s.
static void a_fast_paddle_in_water_passes(void **state)
{
    (void)state;
    BwSceneDef scene = smoke_scene(2, 1.0f / 16.0f);
    BwFillDef fill = bw_fill_def_default();
    BwObstacleDef obstacle = turning(paddle(), 60.0f);
    fill.shape = bw_box(bw_vec3(0.0f, 0.0f, -1.0f), bw_vec3(1.0f, 0.6f, 1.0f));
    set_box(&scene, 1.0f, 1.0f, 0.0f);
    scene.fluid = BW_FLUID_LIQUID;
    scene.fills = &fill;
    scene.fill_count = 1;
    scene.obstacles = &obstacle;
    scene.obstacle_count = 1;
    Heard heard = {0};
    BwWorld *world = listen(&scene, &heard);
    step_frames(world, 12);
    assert_true(bw_world_view_stats(world)->max_speed > 14.0f);
    if (heard.count != 0)
        fail_msg("%s", heard.last);
    bw_world_destroy(world);
}

static BwSceneDef flat_water(float cell, float x, float y)
{
    BwSceneDef scene = smoke_scene(2, cell);
    set_box(&scene, x, y, 0.0f);
    scene.fluid = BW_FLUID_LIQUID;
    scene.gravity = bw_curve_vector(0.0f, 0.0f, 0.0f);
    return scene;
}

// 3 m^2/s have to pass a gap of 0.25 m: at 12 m/s, and at 19.7 where the stream has narrowed to 0.61 of it
// behind the sharp edge (Kirchhoff 1869).
static void a_spring_behind_a_gap_passes(void **state)
{
    (void)state;
    BwSceneDef scene = flat_water(1.0f / 12.0f, 2.0f, 1.0f);
    BwEmitterDef spring = bw_emitter_def_default();
    BwObstacleDef block = bw_obstacle_def_default();
    spring.shape = ball(1.5f, 0.5f, 0.0f, 0.35f);
    spring.flow = bw_curve_number(3.0f);
    block.shape = bw_box(bw_vec3(0.4f, 0.25f, -INFINITY), bw_vec3(1.0f, 1.1f, INFINITY));
    scene.walls.side[BW_LEFT].kind = BW_WALL_OPEN;
    scene.emitters = &spring;
    scene.emitter_count = 1;
    scene.obstacles = &block;
    scene.obstacle_count = 1;
    Heard heard = {0};
    BwWorld *world = listen(&scene, &heard);
    step_frames(world, 24);
    const BwStats *stats = bw_world_view_stats(world);
    gate("gap_speed_explained_error", fabs((double)stats->runaway.explained_speed - 12.0), GATE_BELOW, 1e-3);
    gate("gap_speed_reached", (double)stats->max_speed, GATE_ABOVE, 12.0);
    if (heard.count != 0)
        fail_msg("%s", heard.last);
    bw_world_destroy(world);
}

// A quarter of the water of a tank goes at 5 m/s, and the rest at 1 m/s.
static void shares_of_water_are_by_volume(void **state)
{
    (void)state;
    BwSceneDef scene = flat_water(1.0f / 32.0f, 1.0f, 1.0f);
    BwFillDef fills[2] = {bw_fill_def_default(), bw_fill_def_default()};
    fills[0].shape = bw_box(bw_vec3(0.0f, 0.0f, -1.0f), bw_vec3(1.0f, 0.75f, 1.0f));
    fills[1].shape = bw_box(bw_vec3(0.0f, 0.75f, -1.0f), bw_vec3(1.0f, 1.0f, 1.0f));
    fills[0].velocity = bw_vec3(1.0f, 0.0f, 0.0f);
    fills[1].velocity = bw_vec3(3.0f, 4.0f, 0.0f);
    scene.fills = fills;
    scene.fill_count = 2;
    scene.liquid.narrow_band = 0.0f;
    BwPool *pool;
    BwDrive drive;
    void *solver;
    BwPoolDef pool_def = {.allocator = bw_allocator_or_default((BwAllocator){0}), .worker_count = 1};
    assert_int_equal(bw_pool_create(&pool, &pool_def, NULL), BW_OK);
    BwSolverSetup setup = {.scene = &scene, .allocator = pool_def.allocator, .pool = pool};
    assert_int_equal(bw_liquid_solver.create(&solver, &setup, NULL), BW_OK);
    assert_int_equal(bw_liquid_solver.drive(solver, 0.0, &drive, NULL), BW_OK);
    const struct {
        float speed;
        double share;
    } cases[] = {{0.5f, 1.0}, {4.9f, 0.25}, {5.1f, 0.0}};
    for (int n = 0; n < 3; n++)
        assert_true(fabs(drive.share_above(drive.fluid, cases[n].speed) - cases[n].share) < 1e-6);
    bw_liquid_solver.destroy(solver);
    bw_pool_destroy(pool);
}

// A piston goes through a flat tank at 0.2 m/s, which takes a twentieth of its metre away in six frames.
static void push_piston(float level, Heard *heard)
{
    BwSceneDef scene = smoke_scene(2, 1.0f / 16.0f);
    BwFillDef fill = bw_fill_def_default();
    BwObstacleDef piston = bw_obstacle_def_default();
    piston.shape = bw_box(bw_vec3(-1.0f, -0.1f, -INFINITY), bw_vec3(0.0f, 0.6f, INFINITY));
    piston.motion.velocity = bw_curve_vector(0.2f, 0.0f, 0.0f);
    fill.shape = bw_box(bw_vec3(0.0f, 0.0f, -1.0f), bw_vec3(1.0f, level, 1.0f));
    set_box(&scene, 1.0f, 0.5f, 0.0f);
    scene.fluid = BW_FLUID_LIQUID;
    scene.fills = &fill;
    scene.fill_count = 1;
    scene.obstacles = &piston;
    scene.obstacle_count = 1;
    BwWorld *world = listen(&scene, heard);
    step_frames(world, 12);
    bw_world_destroy(world);
}

static void squeezed_water_is_told_once(void **state)
{
    (void)state;
    Heard full = {0}, half = {0};
    push_piston(0.5f, &full);
    push_piston(0.25f, &half);
    assert_int_equal(full.count, 1);
    assert_non_null(strstr(full.last, "the liquid is pressed together"));
    const char *frame = strstr(full.last, "(frame ");
    assert_non_null(frame);
    gate("squeeze_found_at_frame", atoi(frame + strlen("(frame ")), GATE_BELOW, 9);
    gate("squeeze_not_found_before", atoi(frame + strlen("(frame ")), GATE_ABOVE, 6);
    assert_int_equal(half.count, 0);
}

// A jet of 300 m/s into a closed tank beside a ball that spins a thousand times a second: the pressure is not
// well solved, and the water is pressed together all the same.
static void any_lost_volume_is_told_at_once(void **state)
{
    (void)state;
    BwSceneDef scene = smoke_scene(2, 1.0f / 16.0f);
    BwFillDef fill = bw_fill_def_default();
    BwEmitterDef jet = bw_emitter_def_default();
    BwObstacleDef spinner = turning(ball(0.0f, 0.0f, 0.0f, 0.1f), 1e4f);
    fill.shape = bw_box(bw_vec3(0.0f, 0.0f, -1.0f), bw_vec3(1.0f, 0.5f, 1.0f));
    jet.shape = ball(0.5f, 0.7f, 0.0f, 0.1f);
    jet.velocity = bw_curve_vector(0.0f, -300.0f, 0.0f);
    spinner.motion.position = bw_curve_vector(0.8f, 0.5f, 0.0f);
    set_box(&scene, 1.0f, 1.0f, 0.0f);
    scene.fluid = BW_FLUID_LIQUID;
    scene.fills = &fill;
    scene.fill_count = 1;
    scene.emitters = &jet;
    scene.emitter_count = 1;
    scene.obstacles = &spinner;
    scene.obstacle_count = 1;
    scene.steps = 8;
    Heard heard = {0};
    BwWorld *world = listen(&scene, &heard);
    for (int n = 0; n < 4 && bw_world_view_stats(world)->volume_drift > -0.05; n++) {
        assert_int_equal(heard.count, 0);
        step_frames(world, 1);
    }
    assert_true(bw_world_view_stats(world)->volume_drift < -0.05);
    assert_non_null(strstr(heard.last, "the liquid is pressed together"));
    bw_world_destroy(world);
}

// What a small tank says last of so many frames.
static void hear_scene(const char *rest, int frames, Heard *heard)
{
    char text[600];
    BwError err = {0};
    BwScene *scene;
    snprintf(text, sizeof text,
             "scene { fluid = 'liquid', cell = 1 / 16, frames = 100, fps = 24 }\n"
             "walls { min = {0, 0, 0}, max = {1, 1, 1} }\n%s",
             rest);
    if (bw_scene_load_text(&scene, text, strlen(text), "tank.lua", NULL, &err) != BW_OK)
        fail_msg("%s", err.message);
    BwWorld *world = listen(bw_scene_view_def(scene), heard);
    step_frames(world, frames);
    bw_world_destroy(world);
    bw_scene_destroy(scene);
}

// Shorter steps would not help.
static void an_overfull_box_is_told(void **state)
{
    (void)state;
    Heard heard = {0};
    hear_scene("emitter { shape = sphere { center = {0.5, 0.5, 0.5}, radius = 0.1 }, flow = 4 }", 8, &heard);
    assert_int_equal(heard.count, 1);
    assert_non_null(strstr(heard.last, "the box holds 1 m^3 and has been given more"));
}

static void covered_liquid_is_told(void **state)
{
    (void)state;
    Heard heard = {0};
    hear_scene("fill { shape = box { min = {0, 0, 0}, max = {1, 0.5, 1} } }\n"
               "obstacle { shape = sphere { center = {0, 0, 0}, radius = 2 },\n"
               "    motion = { position = function(t) return {0.5, t < 0.1 and 9 or 0.5, 0.5} end } }",
               4, &heard);
    assert_int_equal(heard.count, 2); // and the jump
    assert_non_null(strstr(heard.last, "obstacles cover liquid: at 0.125 s (frame 3) 100% of it"));
}

static void a_nozzle_that_jumps_is_told_once(void **state)
{
    (void)state;
    Heard jumps = {0}, moves = {0};
    hear_scene("emitter { shape = disc { center = {0.5, 0.9, 0.5}, normal = {0, -1, 0}, radius = 0.1 },\n"
               "    velocity = {0, -2, 0}, offset = function(t) return {t > 0.1 and 0.3 or 0, 0, 0} end }",
               5, &jumps);
    hear_scene("emitter { shape = disc { center = {0.5, 0.9, 0.5}, normal = {0, -1, 0}, radius = 0.1 },\n"
               "    velocity = {0, -2, 0}, offset = function(t) return {2 * t, 0, 0} end }",
               5, &moves);
    assert_int_equal(jumps.count, 1);
    assert_non_null(strstr(jumps.last, "emitter 1 jumps 0.3 m in one step"));
    assert_int_equal(moves.count, 0);
}

// A flow that fills the box a thousand times in a step would fill the memory.
static void a_flow_beyond_the_box_is_refused(void **state)
{
    (void)state;
    BwError err = {0};
    BwSceneDef scene = smoke_scene(3, 1.0f / 16.0f);
    BwEmitterDef spring = bw_emitter_def_default();
    spring.shape = ball(0.5f, 0.5f, 0.5f, 0.1f);
    spring.flow = bw_curve_number(1e6f);
    set_box(&scene, 1.0f, 1.0f, 1.0f);
    scene.fluid = BW_FLUID_LIQUID;
    scene.emitters = &spring;
    scene.emitter_count = 1;
    BwWorld *world = make_world(&scene, 1);
    assert_int_equal(bw_world_step_frame(world, NULL, &err), BW_ERR_DEF);
    assert_non_null(strstr(err.message, "emitter 1 gives 1e+06 m^3/s"));
    bw_world_destroy(world);
}

// A disc that points into the wall beside it: shorter steps would not help, and what is told to be lost is no
// more than what is lost.
static void a_blocked_emitter_is_told(void **state)
{
    (void)state;
    BwSceneDef scene = smoke_scene(2, 1.0f / 32.0f);
    BwEmitterDef jet = bw_emitter_def_default();
    jet.shape = bw_disc(bw_vec3(0.5f, 0.98f, 0.0f), bw_vec3(0.0f, 1.0f, 0.0f), 0.1f);
    jet.flow = bw_curve_number(0.4f);
    set_box(&scene, 1.0f, 1.0f, 0.0f);
    scene.fluid = BW_FLUID_LIQUID;
    scene.emitters = &jet;
    scene.emitter_count = 1;
    Heard heard = {0};
    BwWorld *world = listen(&scene, &heard);
    while (heard.count == 0 && bw_world_view_stats(world)->frame < 8)
        step_frames(world, 1);
    double drift = bw_world_view_stats(world)->volume_drift;
    assert_int_equal(heard.count, 1);
    assert_non_null(strstr(heard.last, "emitter 1 stands in a wall or obstacle, or points into one"));
    const char *told = strstr(heard.last, ") ");
    assert_non_null(told);
    gate("told_loss_over_drift", atof(told + 2) / (-100.0 * drift), GATE_BELOW, 1.01);
    bw_world_destroy(world);
}

// A flow that the scene gives leads down into the floor: shorter steps would not help.
static void a_given_flow_into_a_wall_is_told(void **state)
{
    (void)state;
    BwSceneDef scene = smoke_scene(2, 1.0f / 16.0f);
    BwFillDef fill = bw_fill_def_default();
    fill.shape = bw_box(bw_vec3(0.0f, 0.0f, -1.0f), bw_vec3(1.0f, 0.5f, 1.0f));
    set_box(&scene, 1.0f, 1.0f, 0.0f);
    scene.fluid = BW_FLUID_LIQUID;
    scene.liquid.narrow_band = 0.0f;
    scene.flow.velocity = bw_curve_vector(0.0f, -0.5f, 0.0f);
    scene.fills = &fill;
    scene.fill_count = 1;
    Heard heard = {0};
    BwWorld *world = listen(&scene, &heard);
    while (heard.count == 0 && bw_world_view_stats(world)->frame < 12)
        step_frames(world, 1);
    assert_int_equal(heard.count, 1);
    assert_non_null(strstr(heard.last, "the flow that the scene gives leads into walls or obstacles"));
    bw_world_destroy(world);
}

// A ball of two cells' radius bursts on a dry floor, without any correction: the level set loses it, which is
// told when a quarter has gone and again when all has.
static void what_a_level_set_loses_is_told(void **state)
{
    (void)state;
    BwSceneDef scene = smoke_scene(3, 1.0f / 16.0f);
    BwFillDef fill = bw_fill_def_default();
    fill.shape = ball(0.5f, 0.6f, 0.5f, 0.125f);
    set_box(&scene, 1.0f, 1.0f, 1.0f);
    scene.fluid = BW_FLUID_LIQUID;
    scene.liquid.method = BW_LIQUID_LEVELSET;
    scene.liquid.volume_correction = 0.0f;
    scene.fills = &fill;
    scene.fill_count = 1;
    Heard heard = {0};
    BwWorld *world = listen(&scene, &heard);
    step_frames(world, 24);
    assert_true(bw_world_view_stats(world)->volume == 0.0);
    assert_in_range(heard.count, 1, 2);
    assert_non_null(strstr(heard.last, "has lost 100% of its liquid"));
    assert_non_null(strstr(heard.last, "all there was"));
    assert_non_null(strstr(heard.last, "volume_correction above 0"));
    bw_world_destroy(world);
}

static const double jump_time = 3.5 / 24.0;

typedef enum Way { JUMP, JUMP_OF_TURN, SUDDEN_START, FALL } Way;

// A place, or a turn about z.
static BwResult place_at(void *user, double time, float value[4], BwError *err)
{
    const Way *way = user;
    (void)err;
    double since = fmax(time - jump_time, 0.0);
    if (*way == JUMP_OF_TURN)
        value[2] = since > 0.0 ? 1.5f : 0.0f;
    else
        value[0] = *way == JUMP ? (since > 0.0 ? 0.8f : 0.3f)
                                : (float)(0.3 + (*way == FALL ? 40.0 * time * time : 8.0 * since));
    value[1] = *way == JUMP_OF_TURN ? 0.0f : 0.2f;
    return BW_OK;
}

static void hear_jumps(void *user, BwLogLevel level, const char *message)
{
    if (strstr(message, " jumps ") != NULL)
        hear(user, level, message);
}

// Frames of one step each of a flat tank, with a post and a paddle that moves so. The stats are those of the
// frame of the jump.
static Heard move_through_water(Way way, BwStats *stats)
{
    BwSceneDef scene = smoke_scene(2, 1.0f / 16.0f);
    BwFillDef fill = bw_fill_def_default();
    BwCurve curve = {.kind = BW_CURVE_FUNCTION, .components = 3, .function = place_at, .user = &way};
    BwObstacleDef obstacles[2] = {bw_obstacle_def_default(), bw_obstacle_def_default()};
    obstacles[0].shape = ball(1.5f, 0.0f, 0.0f, 0.1f);
    obstacles[1].shape = bw_box(bw_vec3(-0.1f, -0.05f, -INFINITY), bw_vec3(0.1f, 0.05f, INFINITY));
    obstacles[1].motion.position = way == JUMP_OF_TURN ? bw_curve_vector(0.3f, 0.2f, 0.0f) : curve;
    if (way == JUMP_OF_TURN) {
        obstacles[1].shape = bw_box(bw_vec3(-0.3f, -0.05f, -INFINITY), bw_vec3(0.3f, 0.05f, INFINITY));
        obstacles[1].motion.rotation = curve;
    }
    fill.shape = bw_box(bw_vec3(0.0f, 0.0f, -1.0f), bw_vec3(2.0f, 0.5f, 1.0f));
    set_box(&scene, 2.0f, 1.0f, 0.0f);
    scene.fluid = BW_FLUID_LIQUID;
    scene.steps = 1;
    scene.fills = &fill;
    scene.fill_count = 1;
    scene.obstacles = obstacles;
    scene.obstacle_count = 2;
    Heard heard = {0};
    BwWorldDef def = bw_world_def_default();
    BwWorld *world;
    BwError err = {0};
    def.scene = &scene;
    def.log = (BwLog){.write = hear_jumps, .user = &heard};
    if (bw_world_create(&world, &def, &err) != BW_OK)
        fail_msg("%s", err.message);
    step_frames(world, 4);
    *stats = *bw_world_view_stats(world);
    step_frames(world, 2);
    bw_world_destroy(world);
    return heard;
}

// What jumps is told once, by its number and time, and explains no speed. What moves fast, from a sudden
// start or on and on, is none: 5 cells and more in a step.
static void an_obstacle_that_jumps_is_told_once(void **state)
{
    (void)state;
    BwStats stats;
    Heard heard = move_through_water(JUMP, &stats);
    assert_int_equal(heard.count, 1);
    assert_non_null(strstr(heard.last, "obstacle 2 jumps 0.5 m in one step at t = 0.166667 s: "));
    assert_non_null(strstr(heard.last, "at up to 12 m/s;"));
    assert_true(stats.max_speed > 5.0f);
    gate("jump_explains_no_speed", (double)stats.runaway.explained_speed, GATE_BELOW, 5.0);
    assert_int_equal(move_through_water(JUMP_OF_TURN, &stats).count, 1);
    assert_int_equal(move_through_water(FALL, &stats).count, 0);
    assert_int_equal(move_through_water(SUDDEN_START, &stats).count, 0);
    gate("fast_solid_explains_its_speed", (double)stats.runaway.explained_speed, GATE_ABOVE, 3.9);
}

static void steps_max_is_told_once(void **state)
{
    (void)state;
    BwSceneDef scene = smoke_scene(2, 1.0f / 16.0f);
    set_box(&scene, 1.0f, 1.0f, 0.0f);
    scene.steps_max = 2;
    BwPumpDef pump = bw_pump_def_default();
    pump.shape = ball(0.5f, 0.5f, 0.0f, 0.2f);
    pump.velocity = bw_curve_vector(0.0f, 30.0f, 0.0f);
    scene.pumps = &pump;
    scene.pump_count = 1;
    Heard heard = {0};
    BwWorld *world = listen(&scene, &heard);
    step_frames(world, 3);
    assert_int_equal(heard.count, 1);
    assert_non_null(strstr(heard.last, "more than steps_max = 2 steps"));
    assert_int_equal(bw_world_view_stats(world)->steps, 2);
    assert_int_equal(bw_world_view_stats(world)->steps_capped, 2);
    bw_world_destroy(world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(growth_without_a_source_is_found),
        cmocka_unit_test(squeezes_pass),
        cmocka_unit_test(what_has_been_squeezed_may_come_to_rest),
        cmocka_unit_test(spray_passes),
        cmocka_unit_test(a_spring_behind_a_gap_passes),
        cmocka_unit_test(shares_of_water_are_by_volume),
        cmocka_unit_test(speed_grows_with_time_where_the_way_has_no_end),
        cmocka_unit_test(energy_out_of_nothing_is_found),
        cmocka_unit_test(the_watch_is_kept),
        cmocka_unit_test(an_honest_plume_passes),
        cmocka_unit_test(solids_without_end_drive_by_turning),
        cmocka_unit_test(a_fast_paddle_in_water_passes),
        cmocka_unit_test(squeezed_water_is_told_once),
        cmocka_unit_test(any_lost_volume_is_told_at_once),
        cmocka_unit_test(an_overfull_box_is_told),
        cmocka_unit_test(covered_liquid_is_told),
        cmocka_unit_test(a_nozzle_that_jumps_is_told_once),
        cmocka_unit_test(a_flow_beyond_the_box_is_refused),
        cmocka_unit_test(a_blocked_emitter_is_told),
        cmocka_unit_test(a_given_flow_into_a_wall_is_told),
        cmocka_unit_test(what_a_level_set_loses_is_told),
        cmocka_unit_test(an_obstacle_that_jumps_is_told_once),
        cmocka_unit_test(steps_max_is_told_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
