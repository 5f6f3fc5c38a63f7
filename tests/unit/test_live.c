// What a program sets between steps: it does what it says, ids of other things are refused, and the events
// that are written down repeat a run bit for bit, from the start, from a checkpoint and from a file.
#include "physics/run.h"

#include <stdio.h>
#include <unistd.h>

static BwEmitterDef emitters[2];
static BwObstacleDef obstacles[2];
static BwForceDef forces[2];

static BwSceneDef playground(int dimension)
{
    BwSceneDef scene = smoke_scene(dimension, 0.08f);
    float z = dimension == 3 ? 0.5f : 0.0f;
    set_box(&scene, 1.0f, 1.6f, 1.0f);
    for (int n = 0; n < 2; n++) {
        emitters[n] = bw_emitter_def_default();
        emitters[n].shape = bw_sphere(bw_vec3(0.3f + 0.4f * (float)n, 0.3f, z), 0.15f);
        emitters[n].temperature = bw_curve_number(450.0f);
        obstacles[n] = bw_obstacle_def_default();
        obstacles[n].shape = bw_box(bw_vec3(-0.15f, -0.1f, -0.15f), bw_vec3(0.15f, 0.1f, 0.15f));
        obstacles[n].motion.position = bw_curve_vector(0.3f + 0.4f * (float)n, 1.1f, z);
        forces[n] = bw_force_def_default();
    }
    emitters[0].density = bw_curve_number(1.0f);
    emitters[0].velocity = bw_curve_vector(0.0f, 1.0f, 0.0f);
    emitters[1].density_rate = bw_curve_number(4.0f);
    forces[0].acceleration = bw_curve_vector(1.0f, 0.0f, 0.0f);
    forces[1].field = BW_FORCE_VORTEX;
    forces[1].center = bw_curve_vector(0.5f, 0.8f, z);
    forces[1].strength = bw_curve_number(2.0f);
    scene.emitters = emitters;
    scene.obstacles = obstacles;
    scene.forces = forces;
    scene.emitter_count = scene.obstacle_count = scene.force_count = 2;
    return scene;
}

static void must(BwResult result, const BwError *err)
{
    if (result != BW_OK)
        fail_msg("%s", err->message);
}

static BwPose pose_at(float x, float y, float z, float angle)
{
    BwPose pose = {{x, y, z}, bw_quat_turn(bw_vec3(0.0f, 0.0f, 1.0f), angle)};
    return pose;
}

static void refused(BwResult result, const BwError *err, const char *words)
{
    if (result != BW_ERR_DEF || err->code != result || strstr(err->message, words) == NULL)
        fail_msg("result %d, \"%s\"; wanted \"%s\"", (int)result, err->message, words);
}

// What was done to one world, done again to another, gives the same bits.
static void replay_and_destroy(BwWorld *world, BwWorld *again)
{
    BwError err = {0};
    BwEvents events = bw_world_view_events(world);
    must(bw_world_replay(again, &events, events.steps, NULL, &err), &err);
    assert_true(bw_frame_hash(frame_of(again)) == bw_frame_hash(frame_of(world)));
    bw_world_destroy(world);
    bw_world_destroy(again);
}

static void a_pose_is_reached_over_the_step(void **state)
{
    (void)state;
    BwSceneDef scene = playground(3);
    BwWorld *world = make_world(&scene, 1);
    BwError err = {0};
    must(
        bw_world_set_obstacle_pose(world, bw_world_obstacle(world, 0), pose_at(0.3f, 0.7f, 0.5f, 0.4f), &err),
        &err);
    assert_true(frame_of(world)->solids[0].pose.position.y == 1.1f); // not before the step
    must(bw_world_step(world, 0.05, NULL, &err), &err);
    const BwStats *stats = bw_world_view_stats(world);
    const BwFrame *frame = frame_of(world);
    // 8 m/s and 0.4 rad over 0.05 s, in steps of two cells of 0.08 m at most.
    gate("moved_substeps", stats->steps, GATE_ABOVE, 3);
    assert_true(frame->solids[0].pose.position.y == 0.7f);
    assert_true(fabsf(frame->solids[0].pose.rotation.z - sinf(0.2f)) < 1e-6f);
    // The wall's own speed, on faces across y that the block covers: 0.4 m in 0.05 s, the same in every
    // substep.
    const BwFrameField *speed = bw_frame_field(frame, "solid_v");
    gate("moved_wall_speed_error", fabs((double)frame_value(frame, speed, 3, 9, 6) + 8.0), GATE_BELOW, 0.5);
    step_frames(world, 1);
    frame = frame_of(world);
    assert_true(frame->solids[0].pose.position.y == 0.7f);
    assert_true(frame_value(frame, bw_frame_field(frame, "solid_v"), 3, 9, 6) == 0.0f);
    bw_world_destroy(world);
}

static void a_velocity_goes_on(void **state)
{
    (void)state;
    BwSceneDef scene = playground(2);
    BwWorld *world = make_world(&scene, 1);
    BwError err = {0};
    BwObstacleId id = bw_world_obstacle(world, 1);
    must(bw_world_set_obstacle_velocity(world, id, bw_vec3(0.0f, -0.5f, 0.0f), bw_vec3(0.0f, 0.0f, 1.0f),
                                        &err),
         &err);
    step_frames(world, 12);
    BwPose pose = frame_of(world)->solids[1].pose;
    assert_true(fabsf(pose.position.y - 0.85f) < 1e-4f && fabsf(pose.position.x - 0.7f) < 1e-6f);
    assert_true(fabsf(pose.rotation.z - sinf(0.25f)) < 1e-4f);
    bw_world_destroy(world);
}

static double emitted(BwWorld *world)
{
    step_frames(world, 1);
    return bw_world_view_stats(world)->emitted;
}

static void emitters_follow(void **state)
{
    (void)state;
    BwSceneDef scene = playground(2);
    scene.obstacle_count = scene.force_count = 0;
    BwWorld *world = make_world(&scene, 1);
    BwError err = {0};
    BwEmitterId held = bw_world_emitter(world, 0), fed = bw_world_emitter(world, 1);
    must(bw_world_set_emitter_on(world, held, false, &err), &err);
    double one = emitted(world);
    must(bw_world_set_emitter_rate(world, fed, 8.0f, &err), &err);
    gate("emitted_at_twice_the_rate", fabs(emitted(world) / one - 2.0), GATE_BELOW, 1e-4);
    must(bw_world_remove_emitter(world, fed, &err), &err);
    assert_true(emitted(world) == 0.0);
    refused(bw_world_set_emitter_rate(world, fed, 1.0f, &err), &err, "removed");
    assert_int_equal(bw_world_emitter(world, 1).generation, 0);
    must(bw_world_set_emitter_on(world, held, true, &err), &err);
    must(bw_world_set_emitter_density(world, held, 3.0f, &err), &err);
    must(bw_world_set_emitter_temperature(world, held, 600.0f, &err), &err);
    must(bw_world_set_emitter_velocity(world, held, bw_vec3(0.5f, 0.0f, 0.0f), &err), &err);
    step_frames(world, 1);
    const BwFrame *frame = frame_of(world);
    assert_true(frame_value(frame, bw_frame_field(frame, "density"), 3, 3, 0) == 3.0f);
    assert_true(frame_value(frame, bw_frame_field(frame, "temperature"), 3, 3, 0) == 600.0f);
    assert_true(fabsf(frame_value(frame, bw_frame_field(frame, "u"), 4, 3, 0) - 0.5f) < 1e-5f);
    bw_world_destroy(world);
}

// Spares are in the scene and do nothing until they are switched on; a checkpoint between is of the scene.
static void spares_wait_to_be_switched_on(void **state)
{
    (void)state;
    BwSceneDef scene = playground(2);
    scene.obstacle_count = 0;
    for (int n = 0; n < 2; n++)
        emitters[n].start = forces[n].start = (double)INFINITY;
    BwWorld *world = make_world(&scene, 1), *never = make_world(&scene, 1);
    BwError err = {0};
    step_frames(world, 2);
    assert_true(bw_world_view_stats(world)->emitted == 0.0 && bw_world_view_stats(world)->max_speed == 0.0f);
    if (bw_checkpoint_is_built()) {
        char path[64];
        snprintf(path, sizeof path, "/tmp/billow_spares_%d.h5", (int)getpid());
        must(bw_checkpoint_save(world, path, false, &err), &err);
        must(bw_checkpoint_load(never, path, &err), &err);
        remove(path);
    }
    must(bw_world_set_emitter_on(world, bw_world_emitter(world, 1), true, &err), &err);
    must(bw_world_set_force_on(world, bw_world_force(world, 0), true, &err), &err);
    assert_true(emitted(world) > 0.0);
    assert_true(bw_world_view_stats(world)->max_speed > 0.0f);
    assert_true(emitted(never) == 0.0);
    bw_world_destroy(world);
    bw_world_destroy(never);
}

static float density_at(BwWorld *world, float x, float y)
{
    const double point[3] = {(double)x, (double)y, 0.0};
    float value;
    BwError err = {0};
    must(bw_frame_sample(frame_of(world), "density", point, &value, &err), &err);
    return value;
}

// The density is held in the whole of the capsule, and no more where it was; forces act in theirs alone.
static void strokes_are_drawn(void **state)
{
    (void)state;
    BwSceneDef scene = playground(2);
    scene.obstacle_count = 0;
    scene.gravity = bw_curve_vector(0.0f, 0.0f, 0.0f);
    emitters[0].velocity = (BwCurve){0};
    for (int n = 0; n < 2; n++)
        emitters[n].start = forces[n].start = (double)INFINITY;
    BwWorld *world = make_world(&scene, 1);
    BwError err = {0};
    BwEmitterId brush = bw_world_emitter(world, 0);
    BwForceId push = bw_world_force(world, 0);
    BwVec3 a = {0.2f, 0.3f, 0.0f}, b = {0.8f, 1.3f, 0.0f}, c = {0.3f, 1.3f, 0.0f};
    must(bw_world_set_emitter_capsule(world, brush, a, b, 0.1f, &err), &err);
    must(bw_world_set_emitter_on(world, brush, true, &err), &err);
    must(bw_world_step(world, 0.001, NULL, &err), &err);
    float least = 1.0f;
    for (int n = 0; n <= 100; n++)
        least = fminf(least, density_at(world, 0.2f + 0.006f * (float)n, 0.3f + 0.01f * (float)n));
    gate("stroke_least_density", (double)least, GATE_ABOVE, 0.8);
    assert_true(density_at(world, c.x, c.y) < 1e-3f);
    must(bw_world_set_emitter_capsule(world, brush, c, c, 0.1f, &err), &err);
    must(bw_world_step(world, 0.001, NULL, &err), &err);
    assert_true(density_at(world, c.x, c.y) > 0.9f);
    must(bw_world_set_emitter_offset(world, brush, bw_vec3(0.4f, 0.0f, 0.0f), &err), &err);
    must(bw_world_step(world, 0.001, NULL, &err), &err);
    assert_true(density_at(world, 0.7f, 0.3f) > 0.9f); // the scene's is at 0.3
    assert_true(bw_world_view_stats(world)->max_speed < 1e-4f);
    must(bw_world_set_force_capsule(world, push, a, a, 0.1f, &err), &err);
    must(bw_world_set_force_on(world, push, true, &err), &err);
    must(bw_world_step(world, 0.01, NULL, &err), &err);
    assert_true(bw_world_view_stats(world)->max_speed > 1e-3f);
    refused(bw_world_set_emitter_capsule(world, brush, a, b, 0.0f, &err), &err, "radius");
    refused(bw_world_set_emitter_capsule(world, brush, a, bw_vec3(0, 0, 1), 1.0f, &err), &err, "plane");
    refused(bw_world_set_emitter_offset(world, brush, bw_vec3(NAN, 0, 0), &err), &err, "within");
    refused(bw_world_set_force_capsule(world, push, a, bw_vec3(INFINITY, 0, 0), 1.0f, &err), &err, "within");
    bw_world_destroy(world);
}

static double liquid_volume(BwWorld *world)
{
    return bw_world_view_stats(world)->mass;
}

// A blob comes out each time it is switched on, where there is air: the same place takes no more.
static void water_is_drawn(void **state)
{
    (void)state;
    BwSceneDef scene = playground(2);
    scene.fluid = BW_FLUID_LIQUID;
    scene.cell = 0.05f;
    scene.obstacle_count = scene.force_count = 0;
    scene.emitter_count = 1;
    scene.gravity = bw_curve_vector(0.0f, 0.0f, 0.0f);
    emitters[0] = bw_emitter_def_default();
    emitters[0].kind = BW_EMIT_BLOB;
    emitters[0].shape = bw_sphere(bw_vec3(0.5f, 0.5f, 0.0f), 0.1f);
    emitters[0].start = (double)INFINITY;
    BwWorld *world = make_world(&scene, 1), *again = make_world(&scene, 1);
    BwError err = {0};
    BwEmitterId brush = bw_world_emitter(world, 0);
    step_frames(world, 1);
    assert_true(liquid_volume(world) == 0.0);
    double whole = 0.6 * 0.2 + 0.1 * 0.1 * 3.14159265;
    for (int n = 0; n < 2; n++) { // the second time there is room for what the first left out at its rim
        must(bw_world_set_emitter_capsule(world, brush, bw_vec3(0.2f, 0.4f, 0.0f), bw_vec3(0.8f, 0.4f, 0.0f),
                                          0.1f, &err),
             &err);
        must(bw_world_set_emitter_on(world, brush, true, &err), &err);
        must(bw_world_step(world, 1e-4, NULL, &err), &err);
        gate("stroke_of_water", fabs(liquid_volume(world) / whole - 1.0), GATE_BELOW, n == 0 ? 0.05 : 0.15);
        must(bw_world_step(world, 1e-4, NULL, &err), &err);
        assert_true(bw_world_view_stats(world)->emitted == 0.0);
    }
    replay_and_destroy(world, again);
}

// Smoke thins as its new dissipation says; numbers of other fluids, and those that nothing was prepared for,
// are refused.
static void numbers_follow(void **state)
{
    (void)state;
    BwSceneDef scene = playground(2);
    scene.emitter_count = scene.obstacle_count = scene.force_count = 0;
    scene.smoke.confinement = 0.0f;
    BwFillDef fill = bw_fill_def_default();
    fill.shape = bw_sphere(bw_vec3(0.5f, 0.8f, 0.0f), 0.2f);
    scene.fills = &fill;
    scene.fill_count = 1;
    BwWorld *world = make_world(&scene, 1);
    BwError err = {0};
    scene.smoke.dissipation = 3.0f;
    BwWorld *told = make_world(&scene, 1); // by the scene
    must(bw_world_set_number(world, BW_LIVE_SMOKE_DISSIPATION, 3.0f, &err), &err);
    must(bw_world_step(world, 0.1, NULL, &err), &err);
    must(bw_world_step(told, 0.1, NULL, &err), &err);
    assert_true(bw_frame_hash(frame_of(world)) == bw_frame_hash(frame_of(told)));
    bw_world_destroy(told);
    must(bw_world_set_number(world, BW_LIVE_SMOKE_DISSIPATION, 0.0f, &err), &err);
    must(bw_world_set_gravity(world, bw_vec3(5.0f, 0.0f, 0.0f), &err), &err);
    must(bw_world_set_number(world, BW_LIVE_SMOKE_BUOYANCY_WEIGHT, 4.0f, &err), &err);
    double left = bw_world_view_stats(world)->mass;
    for (int n = 0; n < 10; n++)
        must(bw_world_step(world, 0.02, NULL, &err), &err);
    gate("dissipation_reset", fabs(bw_world_view_stats(world)->mass / left - 1.0), GATE_BELOW, 1e-4);
    const double point[3] = {0.5, 0.8, 0.0};
    float u, v;
    must(bw_frame_sample(frame_of(world), "u", point, &u, &err), &err);
    must(bw_frame_sample(frame_of(world), "v", point, &v, &err), &err);
    assert_true(u > 0.1f && fabsf(v) < 0.1f * u); // the smoke is heavy, and down is to the right
    refused(bw_world_set_number(world, BW_LIVE_SMOKE_CONFINEMENT, 1.0f, &err), &err, "is 0 in the scene");
    refused(bw_world_set_number(world, BW_LIVE_SMOKE_SUBGRID, 0.0f, &err), &err, "above 0");
    refused(bw_world_set_number(world, BW_LIVE_SMOKE_COOLING, -1.0f, &err), &err, "cooling");
    refused(bw_world_set_number(world, BW_LIVE_STABLE_VISCOSITY, 1.0f, &err), &err, "the fluid is \"smoke\"");
    refused(bw_world_set_number(world, BW_LIVE_NUMBER_COUNT, 1.0f, &err), &err, "none that can be set");
    refused(bw_world_set_gravity(world, bw_vec3(0.0f, 0.0f, 1.0f), &err), &err, "gravity");
    bw_world_destroy(world);
}

// Stam's box takes its numbers at each step: with a viscosity that evens out all of it nothing moves on.
static void numbers_of_the_box_follow(void **state)
{
    (void)state;
    BwSceneDef scene = playground(2);
    scene.fluid = BW_FLUID_STABLE;
    scene.obstacle_count = scene.emitter_count = 0;
    scene.force_count = 1;
    BwWorld *world = make_world(&scene, 1), *again = make_world(&scene, 1);
    BwError err = {0};
    must(bw_world_set_force_capsule(world, bw_world_force(world, 0), bw_vec3(0.5f, 0.5f, 0.0f),
                                    bw_vec3(0.6f, 0.5f, 0.0f), 0.2f, &err),
         &err);
    must(bw_world_step(world, 0.1, NULL, &err), &err);
    float fast = bw_world_view_stats(world)->max_speed;
    must(bw_world_set_force_on(world, bw_world_force(world, 0), false, &err), &err);
    must(bw_world_set_number(world, BW_LIVE_STABLE_VISCOSITY, 0.5f, &err), &err);
    must(bw_world_step(world, 0.1, NULL, &err), &err);
    assert_true(fast > 0.0f && bw_world_view_stats(world)->max_speed < 0.5f * fast);
    refused(bw_world_set_gravity(world, bw_vec3(0.0f, 1.0f, 0.0f), &err), &err, "no gravity");
    replay_and_destroy(world, again);
}

static void forces_follow(void **state)
{
    (void)state;
    BwSceneDef scene = playground(2);
    scene.obstacle_count = scene.emitter_count = 0;
    BwWorld *world = make_world(&scene, 1);
    BwError err = {0};
    BwForceId uniform = bw_world_force(world, 0), vortex = bw_world_force(world, 1);
    must(bw_world_set_force_on(world, uniform, false, &err), &err);
    must(bw_world_set_force_on(world, vortex, false, &err), &err);
    step_frames(world, 2);
    assert_true(bw_world_view_stats(world)->max_speed == 0.0f);
    must(bw_world_set_force_on(world, vortex, true, &err), &err);
    must(bw_world_set_force_strength(world, vortex, -3.0f, &err), &err);
    must(bw_world_set_force_center(world, vortex, bw_vec3(0.5f, 0.4f, 0.0f), &err), &err);
    step_frames(world, 1);
    assert_true(bw_world_view_stats(world)->max_speed > 0.0f);
    refused(bw_world_set_force_acceleration(world, vortex, bw_vec3(0.0f, 0.0f, 0.0f), &err), &err, "");
    refused(bw_world_set_force_strength(world, uniform, 1.0f, &err), &err, "");
    must(bw_world_set_force_acceleration(world, uniform, bw_vec3(0.0f, 2.0f, 0.0f), &err), &err);
    must(bw_world_remove_force(world, vortex, &err), &err);
    refused(bw_world_remove_force(world, vortex, &err), &err, "removed");
    step_frames(world, 1);
    bw_world_destroy(world);
}

static void removed_obstacles_leave_air(void **state)
{
    (void)state;
    for (int dimension = 2; dimension <= 3; dimension++) {
        BwSceneDef scene = playground(dimension);
        BwWorld *world = make_world(&scene, 1);
        BwError err = {0};
        step_frames(world, 2);
        const BwFrame *frame = frame_of(world);
        assert_true(frame_value(frame, bw_frame_field(frame, "solid"), 3, 13, 6) == 1.0f);
        must(bw_world_remove_obstacle(world, bw_world_obstacle(world, 0), &err), &err);
        step_frames(world, 3);
        frame = frame_of(world);
        assert_int_equal(frame->solids[0].shape->kind, BW_SHAPE_NONE);
        assert_true(frame_value(frame, bw_frame_field(frame, "solid"), 3, 13, 6) == 0.0f);
        assert_true(frame_value(frame, bw_frame_field(frame, "open_v"), 3, 13, 6) == 1.0f);
        assert_true(frame_value(frame, bw_frame_field(frame, "solid"), 8, 13, 6) == 1.0f); // the other one
        assert_true(bw_world_view_stats(world)->divergence < 1e-2);
        bw_world_destroy(world);
    }
}

// Cells whose solids, and faces whose open shares, two frames tell differently.
static int count_measured_apart(const BwFrame *a, const BwFrame *b)
{
    static const char *const names[] = {"solid", "open_u", "open_v", "open_w"};
    int differing = 0;
    for (int f = 0; f < 4; f++)
        for (int n = 0; n < 12 * 20 * 12; n++) {
            int i = n % 12, j = n / 12 % 20, k = n / 240;
            differing += frame_value(a, bw_frame_field(a, names[f]), i, j, k) !=
                         frame_value(b, bw_frame_field(b, names[f]), i, j, k);
        }
    return differing;
}

// What stands still is not measured anew. Whatever then moves it, or takes it away, all cells and faces are
// those of a world in which it has been there from the start.
static void solids_that_stood_are_measured_when_they_move(void **state)
{
    (void)state;
    BwSceneDef scene = playground(3);
    BwWorld *world = make_world(&scene, 1);
    BwError err = {0};
    int differing[2];
    step_frames(world, 3);
    for (int n = 0; n < 2; n++) {
        if (n == 0)
            must(bw_world_set_obstacle_pose(world, bw_world_obstacle(world, 0),
                                            pose_at(0.4f, 0.8f, 0.5f, 0.3f), &err),
                 &err);
        else
            must(bw_world_remove_obstacle(world, bw_world_obstacle(world, 1), &err), &err);
        step_frames(world, 3);
        BwSceneDef moved = playground(3);
        obstacles[0].motion.position = bw_curve_vector(0.4f, 0.8f, 0.5f);
        obstacles[0].motion.rotation = bw_curve_vector(0.0f, 0.0f, 0.3f);
        moved.obstacle_count = 2 - n;
        BwWorld *fresh = make_world(&moved, 1);
        step_frames(fresh, 1);
        differing[n] = count_measured_apart(frame_of(world), frame_of(fresh));
        bw_world_destroy(fresh);
    }
    gate("measured_apart_after_a_move", differing[0], GATE_BELOW, 0);
    gate("measured_apart_after_a_removal", differing[1], GATE_BELOW, 0);
    bw_world_destroy(world);
}

static void same_stats(const BwStats *a, const BwStats *b)
{
    assert_true(a->time == b->time && a->frame == b->frame && a->steps == b->steps && a->mass == b->mass &&
                a->tiles == b->tiles && a->max_speed == b->max_speed && a->seconds == b->seconds);
    assert_int_equal(a->obstacle_count, 2);
    assert_int_equal(b->obstacle_count, 2);
}

// What waits for a step waits on when the step fails, and what is seen is what the last whole step left.
static void failed_steps_leave_no_trace(void **state)
{
    (void)state;
    volatile int now = 1;
    for (int dimension = 2; dimension <= 3; dimension++) {
        BwSceneDef scene = playground(dimension);
        BwWorld *world = make_world(&scene, 1), *plain = make_world(&scene, 1);
        BwError err = {0};
        step_frames(world, 3);
        step_frames(plain, 3);
        uint64_t before = bw_frame_hash(frame_of(world));
        BwStats stats = *bw_world_view_stats(world);
        BwObstacleStats forces_before = stats.obstacles[1];
        for (int n = 0; n < 2; n++) {
            BwWorld *one = n == 0 ? world : plain;
            float z = dimension == 3 ? 0.5f : 0.0f;
            must(bw_world_remove_obstacle(one, bw_world_obstacle(one, 0), &err), &err);
            must(bw_world_set_obstacle_pose(one, bw_world_obstacle(one, 1), pose_at(0.6f, 1.0f, z, 0.1f),
                                            &err),
                 &err);
            must(bw_world_remove_emitter(one, bw_world_emitter(one, 1), &err), &err);
        }
        for (int n = 0; n < 2; n++) {
            assert_int_equal(bw_world_step_frame(world, &now, &err), BW_ERR_INTERRUPTED);
            assert_true(bw_frame_hash(frame_of(world)) == before);
            assert_int_equal(frame_of(world)->solids[0].shape->kind, BW_SHAPE_BOX);
            same_stats(bw_world_view_stats(world), &stats);
            assert_memory_equal(&bw_world_view_stats(world)->obstacles[1], &forces_before,
                                sizeof forces_before);
        }
        step_frames(world, 1);
        step_frames(plain, 1);
        assert_true(bw_frame_hash(frame_of(world)) == bw_frame_hash(frame_of(plain)));
        bw_world_destroy(world);
        bw_world_destroy(plain);
    }
}

static void broken_steps_leave_no_trace(void **state)
{
    (void)state;
    BwSceneDef scene = playground(2);
    BwWorld *world = make_world(&scene, 1);
    BwError err = {0};
    step_frames(world, 2);
    uint64_t before = bw_frame_hash(frame_of(world));
    BwStats stats = *bw_world_view_stats(world);
    must(bw_world_remove_obstacle(world, bw_world_obstacle(world, 0), &err), &err);
    must(bw_world_set_emitter_temperature(world, bw_world_emitter(world, 0), 9e19f, &err), &err);
    assert_int_equal(bw_world_step_frame(world, NULL, &err), BW_ERR_NUMERICS);
    assert_true(bw_frame_hash(frame_of(world)) == before);
    assert_int_equal(frame_of(world)->solids[0].shape->kind, BW_SHAPE_BOX);
    same_stats(bw_world_view_stats(world), &stats);
    must(bw_world_set_emitter_temperature(world, bw_world_emitter(world, 0), 400.0f, &err), &err);
    step_frames(world, 1);
    assert_int_equal(frame_of(world)->solids[0].shape->kind, BW_SHAPE_NONE);
    bw_world_destroy(world);
}

static void wrong_values_are_refused(void **state)
{
    (void)state;
    BwSceneDef scene = playground(2);
    BwWorld *world = make_world(&scene, 1);
    BwError err = {0};
    BwEmitterId first = bw_world_emitter(world, 0), second = bw_world_emitter(world, 1);
    refused(bw_world_set_emitter_on(world, (BwEmitterId){0}, true, &err), &err, "none");
    refused(bw_world_set_emitter_on(world, (BwEmitterId){2, 1}, true, &err), &err, "no emitter");
    refused(bw_world_set_emitter_on(world, (BwEmitterId){-1, 1}, true, &err), &err, "no emitter");
    refused(bw_world_set_emitter_on(world, (BwEmitterId){0, 7}, true, &err), &err, "no emitter");
    refused(bw_world_set_emitter_density(world, second, 1.0f, &err), &err, "not given");
    refused(bw_world_set_emitter_rate(world, first, 1.0f, &err), &err, "not given");
    refused(bw_world_set_emitter_density(world, first, -1.0f, &err), &err, "density");
    refused(bw_world_set_emitter_temperature(world, first, NAN, &err), &err, "temperature");
    refused(bw_world_set_emitter_velocity(world, first, bw_vec3(0.0f, 0.0f, 1.0f), &err), &err, "velocity");
    BwObstacleId block = bw_world_obstacle(world, 0);
    BwPose no_turn = {.position = {0.5f, 0.5f, 0.0f}};
    refused(bw_world_set_obstacle_pose(world, block, pose_at(NAN, 0.0f, 0.0f, 0.0f), &err), &err, "pose");
    refused(bw_world_set_obstacle_pose(world, block, no_turn, &err), &err, "length");
    refused(bw_world_set_obstacle_pose(world, block, pose_at(0.5f, 0.5f, 0.1f, 0.0f), &err), &err, "plane");
    refused(
        bw_world_set_obstacle_velocity(world, block, bw_vec3(INFINITY, 0.0f, 0.0f), bw_vec3(0, 0, 0), &err),
        &err, "velocity");
    refused(bw_world_set_obstacle_velocity(world, block, bw_vec3(0, 0, 0), bw_vec3(1.0f, 0.0f, 0.0f), &err),
            &err, "plane");
    refused(bw_world_remove_obstacle(world, (BwObstacleId){5, 1}, &err), &err, "no obstacle");
    refused(bw_world_remove_force(world, (BwForceId){5, 1}, &err), &err, "no force");
    assert_int_equal(bw_world_emitter(world, 2).generation + bw_world_obstacle(world, -1).generation +
                         bw_world_force(world, 99).generation,
                     0);
    assert_int_equal(bw_world_view_events(world).count, 0);
    bw_world_destroy(world);
}

enum { STEPS = 12 };

// A run as a player would make it; hashes of the frames after each step from `first` on.
static void play(BwWorld *world, int first, uint64_t hashes[STEPS])
{
    BwError err = {0};
    for (int n = first; n < STEPS; n++) {
        BwObstacleId block = bw_world_obstacle(world, 0), other = bw_world_obstacle(world, 1);
        if (n != 2 && n < 9)
            must(bw_world_set_obstacle_pose(world, block,
                                            pose_at(0.3f + 0.03f * (float)n, 1.1f - 0.02f * (float)n,
                                                    frame_of(world)->dimension == 3 ? 0.5f : 0.0f,
                                                    0.2f * (float)n),
                                            &err),
                 &err);
        if (n == 3)
            must(bw_world_set_obstacle_velocity(world, other, bw_vec3(0.1f, -0.3f, 0.0f),
                                                bw_vec3(0.0f, 0.0f, 2.0f), &err),
                 &err);
        float z = frame_of(world)->dimension == 3 ? 0.5f : 0.0f;
        if (n == 1)
            must(bw_world_set_emitter_capsule(world, bw_world_emitter(world, 1), bw_vec3(0.2f, 0.5f, z),
                                              bw_vec3(0.8f, 0.6f, z), 0.12f, &err),
                 &err);
        if (n == 2)
            must(bw_world_set_force_capsule(world, bw_world_force(world, 0), bw_vec3(0.2f, 0.5f, z),
                                            bw_vec3(0.3f, 0.6f, z), 0.2f, &err),
                 &err);
        if (n == 3)
            must(bw_world_set_number(world, BW_LIVE_SMOKE_DISSIPATION, 0.5f, &err), &err);
        if (n == 8)
            must(bw_world_set_gravity(world, bw_vec3(3.0f, -9.0f, 0.0f), &err), &err);
        if (n == 7)
            must(bw_world_set_emitter_offset(world, bw_world_emitter(world, 0), bw_vec3(0.2f, 0.1f, 0.0f),
                                             &err),
                 &err);
        if (n == 4)
            must(bw_world_set_emitter_on(world, bw_world_emitter(world, 1), false, &err), &err);
        if (n == 5)
            must(bw_world_set_emitter_velocity(world, bw_world_emitter(world, 0), bw_vec3(0.5f, 1.5f, 0.0f),
                                               &err),
                 &err);
        if (n == 6)
            must(bw_world_remove_force(world, bw_world_force(world, 0), &err), &err);
        if (n == 8)
            must(bw_world_set_force_strength(world, bw_world_force(world, 1), 4.0f, &err), &err);
        if (n == 9)
            must(bw_world_remove_obstacle(world, block, &err), &err);
        must(n % 5 == 4 ? bw_world_step_frame(world, NULL, &err)
                        : bw_world_step(world, n < 7 ? 1.0 / 60.0 : 0.031, NULL, &err),
             &err);
        hashes[n] = bw_frame_hash(frame_of(world));
    }
}

static void replays_give_the_same_bits(void **state)
{
    (void)state;
    int differing = 0;
    for (int dimension = 2; dimension <= 3; dimension++) {
        BwSceneDef scene = playground(dimension);
        BwWorld *world = make_world(&scene, 1), *again = make_world(&scene, 2),
                *plain = make_world(&scene, 1);
        uint64_t hashes[STEPS];
        play(world, 0, hashes);
        BwEvents events = bw_world_view_events(world);
        BwError err = {0};
        assert_int_equal(events.steps, STEPS);
        for (int n = 0; n < STEPS; n++) {
            must(bw_world_replay(again, &events, 1, NULL, &err), &err);
            differing += bw_frame_hash(frame_of(again)) != hashes[n];
        }
        BwEvents copy = bw_world_view_events(again);
        assert_int_equal(copy.count, events.count);
        for (int64_t n = 0; n < copy.count; n++)
            assert_true(copy.list[n].kind == events.list[n].kind &&
                        copy.list[n].step == events.list[n].step && copy.list[n].dt == events.list[n].dt &&
                        copy.list[n].time == events.list[n].time);
        must(bw_world_replay(again, &events, 5, NULL, &err), &err); // there is no more
        step_frames(plain, 1);
        refused(bw_world_replay(plain, &events, 1, NULL, &err), &err, "beginning");
        bw_world_destroy(world);
        bw_world_destroy(again);
        bw_world_destroy(plain);
    }
    gate("replay_differing_frames", differing, GATE_BELOW, 0);
}

static void interrupted_replays_go_on(void **state)
{
    (void)state;
    BwSceneDef scene = playground(2);
    BwWorld *world = make_world(&scene, 1), *again = make_world(&scene, 1);
    uint64_t hashes[STEPS];
    BwError err = {0};
    play(world, 0, hashes);
    BwEvents events = bw_world_view_events(world);
    volatile int stop = 1;
    int differing = 0;
    for (int n = 0; n < STEPS; n++) {
        assert_int_equal(bw_world_replay(again, &events, 1, &stop, &err), BW_ERR_INTERRUPTED);
        assert_int_equal(bw_world_replay(again, &events, 1, &stop, &err), BW_ERR_INTERRUPTED);
        must(bw_world_replay(again, &events, 1, NULL, &err), &err);
        differing += bw_frame_hash(frame_of(again)) != hashes[n];
    }
    assert_int_equal(bw_world_view_events(again).count, events.count);
    gate("interrupted_replay_differing_frames", differing, GATE_BELOW, 0);
    bw_world_destroy(world);
    bw_world_destroy(again);
}

// Sets are in a checkpoint whether the step that follows was taken or not.
static void checkpoints_keep_what_was_set(void **state)
{
    (void)state;
    if (!bw_checkpoint_is_built())
        skip();
    char path[64];
    snprintf(path, sizeof path, "/tmp/billow_live_%d.h5", (int)getpid());
    BwSceneDef scene = playground(2);
    BwError err = {0};
    uint64_t hashes[STEPS], after[STEPS];
    BwWorld *whole = make_world(&scene, 1);
    play(whole, 0, hashes);
    BwEvents events = bw_world_view_events(whole);
    int differing = 0;
    for (int stop = 0; stop <= STEPS; stop++) {
        BwWorld *world = make_world(&scene, 1), *other = make_world(&scene, 1),
                *third = make_world(&scene, 1);
        must(bw_world_replay(world, &events, stop, NULL, &err), &err);
        must(bw_checkpoint_save(world, path, false, &err), &err);
        must(bw_checkpoint_load(other, path, &err), &err);
        play(other, stop, after);
        for (int n = stop; n < STEPS; n++)
            differing += after[n] != hashes[n];
        assert_int_equal(bw_world_view_events(other).count, events.count);
        volatile int now = 1;
        if (stop < STEPS)
            assert_int_equal(bw_world_replay(world, &events, 1, &now, &err), BW_ERR_INTERRUPTED);
        must(bw_checkpoint_save(world, path, false, &err), &err);
        must(bw_checkpoint_load(third, path, &err), &err);
        must(bw_world_replay(third, &events, STEPS, NULL, &err), &err);
        differing += bw_frame_hash(frame_of(third)) != hashes[STEPS - 1];
        bw_world_destroy(world);
        bw_world_destroy(other);
        bw_world_destroy(third);
    }
    remove(path);
    bw_world_destroy(whole);
    gate("live_resume_differing_frames", differing, GATE_BELOW, 0);
}

static void write_text(const char *path, const char *text)
{
    FILE *stream = fopen(path, "w");
    fputs(text, stream);
    fclose(stream);
}

static void files_keep_events(void **state)
{
    (void)state;
    char path[64];
    snprintf(path, sizeof path, "/tmp/billow_events_%d.jsonl", (int)getpid());
    BwSceneDef scene = playground(2);
    BwWorld *world = make_world(&scene, 1), *again = make_world(&scene, 1);
    uint64_t hashes[STEPS];
    BwError err = {0};
    play(world, 0, hashes);
    BwEvents events = bw_world_view_events(world);
    must(bw_events_save(&events, path, &err), &err);
    BwEventFile *file;
    must(bw_events_load(&file, path, NULL, &err), &err);
    BwEvents read = bw_event_file_view(file);
    assert_true(read.count == events.count && read.steps == events.steps);
    must(bw_world_replay(again, &read, INT64_MAX, NULL, &err), &err);
    gate("event_file_differs", bw_frame_hash(frame_of(again)) != hashes[STEPS - 1], GATE_BELOW, 0);
    bw_event_file_destroy(file);
    static const char head[] =
        "{\"format\": \"billow events\", \"version\": 1, \"steps\": 2, \"events\": 1}\n";
    static const char *const wrong[] = {
        "", "{}\n", "{\"format\": \"billow events\", \"version\": 9, \"steps\": 1, \"events\": 0}\n",
        "{\"format\": \"billow events\", \"version\": 1, \"steps\": 2, \"events\": 3}\n"};
    static const char *const wrong_events[] = {
        "",
        "{\"event\": \"emitter_on\", \"step\": 0, \"time\": 0, \"dt\": 0, \"index\": 0, \"generation\": 1}\n",
        "{\"event\":\"emitter_on\",\"step\":0,\"time\":0,\"dt\":0,\"index\":0,\"generation\":1,\"value\":[1,"
        "2]}\n",
        "{\"event\":\"emitter_on\",\"step\":0,\"time\":0,\"dt\":0,\"index\":0,\"generation\":1,\"value\":[]}"
        "\n",
        "{\"event\":\"emitter_on\",\"step\":3,\"time\":0,\"dt\":0,\"index\":0,\"generation\":1,\"value\":[1]}"
        "\n",
        "{\"event\":\"emitter_on\",\"step\":0,\"time\":-1,\"dt\":0,\"index\":0,\"generation\":1,\"value\":[1]"
        "}\n",
        "{\"event\":\"what\",\"step\":0,\"time\":0,\"dt\":0,\"index\":0,\"generation\":1,\"value\":[]}\n"};
    for (size_t n = 0; n < sizeof wrong / sizeof *wrong + sizeof wrong_events / sizeof *wrong_events; n++) {
        char text[1000];
        size_t heads = sizeof wrong / sizeof *wrong;
        snprintf(text, sizeof text, "%s%s", n < heads ? wrong[n] : head,
                 n < heads ? "" : wrong_events[n - heads]);
        write_text(path, text);
        if (bw_events_load(&file, path, NULL, &err) != BW_ERR_FORMAT || strstr(err.message, path) == NULL)
            fail_msg("%d: \"%s\"", (int)n, err.message);
        assert_null(file);
    }
    remove(path);
    assert_int_equal(bw_events_load(&file, path, NULL, &err), BW_ERR_FILE);
    bw_world_destroy(world);
    bw_world_destroy(again);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_pose_is_reached_over_the_step),
        cmocka_unit_test(a_velocity_goes_on),
        cmocka_unit_test(emitters_follow),
        cmocka_unit_test(spares_wait_to_be_switched_on),
        cmocka_unit_test(strokes_are_drawn),
        cmocka_unit_test(water_is_drawn),
        cmocka_unit_test(numbers_follow),
        cmocka_unit_test(numbers_of_the_box_follow),
        cmocka_unit_test(forces_follow),
        cmocka_unit_test(removed_obstacles_leave_air),
        cmocka_unit_test(solids_that_stood_are_measured_when_they_move),
        cmocka_unit_test(failed_steps_leave_no_trace),
        cmocka_unit_test(broken_steps_leave_no_trace),
        cmocka_unit_test(wrong_values_are_refused),
        cmocka_unit_test(replays_give_the_same_bits),
        cmocka_unit_test(interrupted_replays_go_on),
        cmocka_unit_test(checkpoints_keep_what_was_set),
        cmocka_unit_test(files_keep_events),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
