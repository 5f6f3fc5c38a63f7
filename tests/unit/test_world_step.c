// Steps of any length: frames and times after them, what they leave in checkpoints, and going on after a step
// that did not succeed.
#include "physics/run.h"

#include <stdio.h>
#include <unistd.h>

static BwEmitterDef emitter;
static BwObstacleDef obstacle;

// Hot smoke below a ball that swings to and fro.
static BwSceneDef swinging_ball(void)
{
    static const BwKey keys[] = {{0.0, {0.35f, 0.9f}}, {0.3, {0.65f, 0.9f}}, {0.6, {0.35f, 0.9f}}};
    BwSceneDef scene = smoke_scene(2, 0.05f);
    set_box(&scene, 1.0f, 1.6f, 0.0f);
    emitter = bw_emitter_def_default();
    emitter.shape = bw_sphere(bw_vec3(0.5f, 0.3f, 0.0f), 0.15f);
    emitter.density = bw_curve_number(1.0f);
    emitter.temperature = bw_curve_number(500.0f);
    emitter.velocity = bw_curve_vector(0.0f, 2.0f, 0.0f);
    obstacle = bw_obstacle_def_default();
    obstacle.shape = bw_sphere(bw_vec3(0.0f, 0.0f, 0.0f), 0.15f);
    obstacle.motion.position =
        (BwCurve){.kind = BW_CURVE_KEYS, .components = 3, .keys = keys, .key_count = 3};
    scene.emitters = &emitter;
    scene.emitter_count = 1;
    scene.obstacles = &obstacle;
    scene.obstacle_count = 1;
    return scene;
}

static void must_step(BwWorld *world, double dt)
{
    BwError err = {0};
    if (bw_world_step(world, dt, NULL, &err) != BW_OK)
        fail_msg("%s", err.message);
}

static void steps_of_a_frame_are_frames(void **state)
{
    (void)state;
    BwSceneDef scene = swinging_ball();
    for (int fixed = 0; fixed < 2; fixed++) {
        scene.steps = fixed == 0 ? 0 : 3;
        BwWorld *frames = make_world(&scene, 1), *steps = make_world(&scene, 2);
        int differing = 0;
        for (int n = 1; n <= 8; n++) {
            step_frames(frames, 1);
            must_step(steps, n % 2 == 0 ? 1.0 / 24.0 : (double)(1.0f / 24.0f)); // a float's rounding too
            differing += bw_frame_hash(frame_of(frames)) != bw_frame_hash(frame_of(steps));
            const BwStats *a = bw_world_view_stats(frames), *b = bw_world_view_stats(steps);
            assert_true(frame_of(steps)->number == n && frame_of(steps)->time == n / 24.0);
            assert_true(a->steps == b->steps && a->frame == b->frame && a->time == b->time);
            assert_true(a->obstacles[0].pressure_force[1] == b->obstacles[0].pressure_force[1]);
        }
        gate("step_of_a_frame_differing_frames", differing, GATE_BELOW, 0);
        bw_world_destroy(frames);
        bw_world_destroy(steps);
    }
}

static void times_add_up(void **state)
{
    (void)state;
    BwSceneDef scene = swinging_ball();
    const double lengths[] = {0.003, 0.1, 1.0 / 60.0, 0.25, 1e-4};
    BwWorld *world = make_world(&scene, 1);
    double time = 0.0;
    for (int n = 0; n < 5; n++) {
        must_step(world, lengths[n]);
        time += lengths[n];
        const BwStats *stats = bw_world_view_stats(world);
        assert_true(fabs(stats->time - time) < 1e-6 * time);
        assert_int_equal(stats->frame, (int)floor(time * 24.0));
        assert_int_equal(frame_of(world)->number, stats->frame);
        assert_true(frame_of(world)->time == stats->time && stats->dt_max <= 1.0 / 24.0 * (1.0 + 1e-9));
        // The ball is where its keys put it at that time.
        double swing = time < 0.3 ? time : 0.6 - time;
        assert_true(fabs((double)frame_of(world)->solids[0].pose.position.x - (0.35 + swing)) < 1e-5);
    }
    step_frames(world, 1);
    assert_true(frame_of(world)->number == 9 && frame_of(world)->time == 9.0 / 24.0);
    bw_world_destroy(world);
}

// Half a frame has half of the fixed steps, and ten frames have ten times as many.
static void steps_a_frame_count_in_proportion(void **state)
{
    (void)state;
    BwSceneDef scene = swinging_ball();
    scene.steps = 4;
    BwWorld *world = make_world(&scene, 1);
    must_step(world, 0.5 / 24.0);
    assert_int_equal(bw_world_view_stats(world)->steps, 2);
    must_step(world, 0.5 / 24.0);
    must_step(world, 3.0 / 24.0);
    assert_int_equal(bw_world_view_stats(world)->steps, 12);
    assert_int_equal(frame_of(world)->number, 4);
    bw_world_destroy(world);
}

static void lengths_that_lead_nowhere_are_refused(void **state)
{
    (void)state;
    BwSceneDef scene = swinging_ball();
    BwWorld *world = make_world(&scene, 1);
    const double wrong[] = {0.0, -1.0, (double)NAN, (double)INFINITY, 1e-320, 1e9};
    BwError err;
    must_step(world, 0.1);
    uint64_t before = bw_frame_hash(frame_of(world));
    for (int n = 0; n < 6; n++) {
        assert_int_equal(bw_world_step(world, wrong[n], NULL, &err), BW_ERR_DEF);
        assert_true(bw_frame_hash(frame_of(world)) == before);
    }
    bw_world_destroy(world);
}

// At time 0 every number moves the clock; what does not move that of the first frame is refused all the same.
static void lengths_that_rounding_loses_are_refused(void **state)
{
    (void)state;
    BwSceneDef scene = swinging_ball();
    BwWorld *world = make_world(&scene, 1);
    const double wrong[] = {1e-320, 1e-300, 1e-40, 1e-20, 9e-18};
    BwError err;
    for (int n = 0; n < 5; n++) {
        assert_int_equal(bw_world_step(world, wrong[n], NULL, &err), BW_ERR_DEF);
        assert_non_null(strstr(err.message, "too short"));
        assert_true(frame_of(world)->time == 0.0);
    }
    must_step(world, 1e-17);
    assert_true(frame_of(world)->time == 1e-17);
    step_frames(world, 3);
    assert_int_equal(bw_world_step(world, 1e-17, NULL, &err), BW_ERR_DEF);
    must_step(world, 1e-16);
    assert_true(frame_of(world)->time > 0.125);
    bw_world_destroy(world);
}

static void steps_go_on_from_checkpoints(void **state)
{
    (void)state;
    if (!bw_checkpoint_is_built())
        skip();
    char path[64];
    snprintf(path, sizeof path, "/tmp/billow_step_%d.h5", (int)getpid());
    BwSceneDef scene = swinging_ball();
    BwError err = {0};
    int differing = 0;
    for (int stop = 1; stop <= 4; stop++) {
        BwWorld *world = make_world(&scene, 1), *other = make_world(&scene, 1);
        for (int n = 1; n <= stop; n++)
            must_step(world, 0.017 * n);
        assert_int_equal(bw_checkpoint_save(world, path, false, &err), BW_OK);
        if (bw_checkpoint_load(other, path, &err) != BW_OK)
            fail_msg("%s", err.message);
        assert_true(frame_of(other)->time == frame_of(world)->time);
        for (int n = 0; n < 3; n++) {
            must_step(world, 0.03);
            must_step(other, 0.03);
            differing += bw_frame_hash(frame_of(world)) != bw_frame_hash(frame_of(other));
        }
        assert_int_equal(bw_world_view_events(world).steps, bw_world_view_events(other).steps);
        bw_world_destroy(world);
        bw_world_destroy(other);
    }
    remove(path);
    gate("step_resume_differing_frames", differing, GATE_BELOW, 0);
}

// Asks to stop when it has been looked up so many times.
typedef struct Fuse {
    int left; // below 0: never
    volatile int stop;
} Fuse;

static BwResult burn(void *user, double time, float value[4], BwError *err)
{
    (void)time, (void)err;
    Fuse *fuse = user;
    if (fuse->left >= 0 && fuse->left-- == 0)
        fuse->stop = 1;
    value[0] = 1.0f;
    return BW_OK;
}

static void interrupted_worlds_go_on(void **state)
{
    (void)state;
    Fuse fuse = {.left = -1};
    BwSceneDef scene = swinging_ball();
    emitter.density = (BwCurve){.kind = BW_CURVE_FUNCTION, .components = 1, .function = burn, .user = &fuse};
    uint64_t hashes[5];
    BwWorld *world = make_world(&scene, 1);
    for (int n = 0; n < 5; n++) {
        must_step(world, 0.05);
        hashes[n] = bw_frame_hash(frame_of(world));
    }
    bw_world_destroy(world);
    world = make_world(&scene, 1);
    int interruptions = 0, differing = 0;
    for (int n = 0; n < 5; n++) {
        BwError err = {0};
        BwResult result = BW_ERR_INTERRUPTED;
        for (int left = 0; result != BW_OK; left++) {
            uint64_t before = bw_frame_hash(frame_of(world));
            fuse = (Fuse){.left = left};
            result = bw_world_step(world, 0.05, &fuse.stop, &err);
            assert_true(result == BW_OK || result == BW_ERR_INTERRUPTED);
            interruptions += result != BW_OK;
            differing += result != BW_OK && bw_frame_hash(frame_of(world)) != before;
        }
        differing += bw_frame_hash(frame_of(world)) != hashes[n];
    }
    bw_world_destroy(world);
    gate("interruptions", interruptions, GATE_ABOVE, 20);
    gate("interrupted_differing_frames", differing, GATE_BELOW, 0);
}

// A function that fails for a while: the step fails, the world stays, and goes on when it no longer does.
static BwResult moody(void *user, double time, float value[4], BwError *err)
{
    (void)time;
    value[0] = 1.0f;
    if (!*(const bool *)user)
        return BW_OK;
    *err = (BwError){BW_ERR_DEF, "not today"};
    return err->code;
}

static void failed_worlds_go_on(void **state)
{
    (void)state;
    bool fails = false;
    BwSceneDef scene = swinging_ball();
    emitter.density =
        (BwCurve){.kind = BW_CURVE_FUNCTION, .components = 1, .function = moody, .user = &fails};
    BwWorld *plain = make_world(&scene, 1), *world = make_world(&scene, 1);
    BwError err = {0};
    for (int n = 0; n < 4; n++) {
        step_frames(plain, 1);
        fails = true;
        assert_int_equal(bw_world_step_frame(world, NULL, &err), BW_ERR_DEF);
        assert_string_equal(err.message, "not today");
        fails = false;
        step_frames(world, 1);
        assert_true(bw_frame_hash(frame_of(world)) == bw_frame_hash(frame_of(plain)));
    }
    bw_world_destroy(plain);
    bw_world_destroy(world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(steps_of_a_frame_are_frames),
        cmocka_unit_test(times_add_up),
        cmocka_unit_test(steps_a_frame_count_in_proportion),
        cmocka_unit_test(lengths_that_lead_nowhere_are_refused),
        cmocka_unit_test(lengths_that_rounding_loses_are_refused),
        cmocka_unit_test(steps_go_on_from_checkpoints),
        cmocka_unit_test(interrupted_worlds_go_on),
        cmocka_unit_test(failed_worlds_go_on),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
