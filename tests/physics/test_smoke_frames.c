// Smoke frames, looked at from outside: divergence recomputed in double from the frame's own numbers, times,
// and errors.
#include "run.h"

#include <stdio.h>

// What goes through the low face of a cell, per area: fluid through the open share, the solid's motion on the
// rest.
static double flux(const BwFrame *frame, int axis, const int at[3])
{
    static const char *const names[3][3] = {
        {"u", "open_u", "solid_u"}, {"v", "open_v", "solid_v"}, {"w", "open_w", "solid_w"}};
    double value[3];
    for (int n = 0; n < 3; n++)
        value[n] = (double)frame_value(frame, bw_frame_field(frame, names[axis][n]), at[0], at[1], at[2]);
    return value[1] * value[0] + (1.0 - value[1]) * value[2];
}

// The largest |divergence| of any fluid cell, 1/s, from nothing but the frame.
static double frame_divergence(const BwFrame *frame, double *max_speed)
{
    const BwFrameField *fluid = bw_frame_field(frame, "fluid");
    double worst = 0.0;
    *max_speed = 0.0;
    int64_t counted = 0;
    for (int32_t tile = 0; tile < frame->tile_count; tile++)
        for (int n = 0; n < 64 * frame->layers; n++) {
            if (fluid->values[(size_t)tile * 64 * (size_t)frame->layers + (size_t)n] == 0.0f)
                continue;
            int at[3] = {frame->tiles[tile].x * 8 + n % 8, frame->tiles[tile].y * 8 + n / 8 % 8,
                         frame->tiles[tile].z * 8 * (frame->layers > 1) + n / 64};
            double sum = 0.0;
            for (int a = 0; a < frame->dimension; a++) {
                int next[3] = {at[0] + (a == 0), at[1] + (a == 1), at[2] + (a == 2)};
                double low = flux(frame, a, at), high = flux(frame, a, next);
                sum += high - low;
                *max_speed = fmax(*max_speed, fmax(fabs(low), fabs(high)));
            }
            worst = fmax(worst, fabs(sum) / (double)frame->cell_size);
            counted++;
        }
    assert_true(counted > 100);
    return worst;
}

typedef enum Sides { CLOSED, OPEN, UNBOUNDED } Sides;

static void check_divergence(int dimension, Sides sides)
{
    BwSceneDef scene = smoke_scene(dimension, 1.0f / 32.0f);
    if (sides != UNBOUNDED)
        set_box(&scene, 1.0f, 1.25f, 1.0f);
    for (int side = 0; side < 2 * dimension && sides == OPEN; side++)
        scene.walls.side[side].kind = BW_WALL_OPEN;
    BwEmitterDef emitter = bw_emitter_def_default();
    emitter.shape = ball(0.5f, 0.3f, dimension == 3 ? 0.5f : 0.0f, 0.12f);
    emitter.density = bw_curve_number(1.0f);
    emitter.temperature = bw_curve_number(420.0f);
    emitter.velocity = bw_curve_vector(0.3f, 1.0f, 0.0f);
    scene.emitters = &emitter;
    scene.emitter_count = 1;
    BwObstacleDef obstacle = bw_obstacle_def_default();
    obstacle.shape = ball(0.0f, 0.0f, 0.0f, 0.1f);
    const BwKey keys[] = {{0.0, {0.4f, 0.7f, dimension == 3 ? 0.5f : 0.0f, 0.0f}},
                          {1.0, {0.7f, 0.8f, dimension == 3 ? 0.6f : 0.0f, 0.0f}}};
    obstacle.motion.position =
        (BwCurve){.kind = BW_CURVE_KEYS, .components = 3, .keys = keys, .key_count = 2};
    scene.obstacles = &obstacle;
    scene.obstacle_count = 1;
    scene.solver.divergence_max = 1e-3f;
    BwWorld *world = make_world(&scene, 2);
    const char *names[] = {"closed", "open", "unbounded"};
    char name[64];
    double worst = 0.0, bound = 0.0;
    for (int n = 0; n < 6; n++) {
        step_frames(world, 1);
        double max_speed, divergence = frame_divergence(frame_of(world), &max_speed);
        double allowed = fmax(1e-3, 8.0 * 1.1920929e-7 * max_speed / (double)scene.cell);
        worst = fmax(worst, divergence / allowed);
        bound = fmax(bound, divergence);
        assert_true(fabs(divergence - bw_world_view_stats(world)->divergence) <= 1e-9 + 1e-6 * divergence);
        assert_int_equal(bw_world_view_stats(world)->stop_reason, BW_STOP_CONVERGED);
    }
    assert_true(bound > 0.0);
    snprintf(name, sizeof name, "divergence_%s_%dd_of_allowed", names[sides], dimension);
    gate(name, worst, GATE_BELOW, 1.0);
    bw_world_destroy(world);
}

static void divergence_is_below_what_was_asked(void **state)
{
    (void)state;
    for (int dimension = 2; dimension <= 3; dimension++)
        for (int sides = CLOSED; sides <= UNBOUNDED; sides++)
            check_divergence(dimension, (Sides)sides);
}

static void frames_come_at_their_times(void **state)
{
    (void)state;
    const float cfls[] = {0.5f, 2.0f, 5.0f};
    const double rates[] = {24.0, 60.0, 2.0};
    for (int n = 0; n < 3; n++)
        for (int k = 0; k < 3; k++) {
            BwSceneDef scene = smoke_scene(2, 0.02f);
            set_box(&scene, 1.0f, 1.0f, 0.0f);
            scene.cfl = cfls[n];
            scene.fps = rates[k];
            BwEmitterDef emitter = bw_emitter_def_default();
            emitter.shape = ball(0.5f, 0.3f, 0.0f, 0.1f);
            emitter.density = bw_curve_number(1.0f);
            emitter.velocity = bw_curve_vector(0.0f, 1.0f, 0.0f);
            scene.emitters = &emitter;
            scene.emitter_count = 1;
            BwWorld *world = make_world(&scene, 1);
            for (int frame = 1; frame <= 4; frame++) {
                step_frames(world, 1);
                const BwStats *stats = bw_world_view_stats(world);
                assert_true(frame_of(world)->time == (double)frame / rates[k]);
                assert_true(stats->time == (double)frame / rates[k]);
                assert_int_equal(frame_of(world)->number, frame);
                assert_true(stats->steps >= 1 && stats->dt_min > 0.0);
            }
            bw_world_destroy(world);
        }
}

static void fixed_steps_and_caps_are_honoured(void **state)
{
    (void)state;
    BwSceneDef scene = smoke_scene(2, 0.01f);
    set_box(&scene, 0.5f, 0.5f, 0.0f);
    BwEmitterDef emitter = bw_emitter_def_default();
    emitter.shape = ball(0.25f, 0.2f, 0.0f, 0.1f);
    emitter.density = bw_curve_number(1.0f);
    emitter.velocity = bw_curve_vector(0.0f, 3.0f, 0.0f);
    scene.emitters = &emitter;
    scene.emitter_count = 1;
    scene.steps = 2;
    BwWorld *world = make_world(&scene, 1);
    step_frames(world, 2);
    assert_int_equal(bw_world_view_stats(world)->steps, 2);
    bw_world_destroy(world);
    scene.steps = 0;
    scene.steps_max = 3;
    world = make_world(&scene, 1);
    step_frames(world, 2);
    assert_int_equal(bw_world_view_stats(world)->steps, 3);
    assert_true(bw_world_view_stats(world)->max_speed < 30.0f);
    bw_world_destroy(world);
}

static void a_stop_request_ends_within_the_step(void **state)
{
    (void)state;
    BwSceneDef scene = smoke_scene(2, 0.02f);
    set_box(&scene, 0.5f, 0.5f, 0.0f);
    scene.steps = 5;
    BwWorld *world = make_world(&scene, 1);
    BwError err;
    volatile int stop = 1;
    assert_int_equal(bw_world_step_frame(world, &stop, &err), BW_ERR_INTERRUPTED);
    assert_int_equal(bw_world_view_stats(world)->steps, 0);
    bw_world_destroy(world);
}

// A source that asks to stop, once it is told to, when it is next looked up.
typedef struct Asker {
    bool is_armed;
    volatile int stop;
    int calls;
} Asker;

static BwResult ask_to_stop(void *user, double time, float value[4], BwError *err)
{
    (void)time, (void)err;
    Asker *asker = user;
    asker->stop = asker->is_armed;
    asker->calls++;
    value[0] = 1.0f;
    return BW_OK;
}

// The density is asked for when the length of the step is chosen and again by the sources, before the
// pressure: once stopped, the step never gets there. The last whole frame is kept, and its stats.
static void a_stop_is_obeyed_within_a_step(void **state)
{
    (void)state;
    Asker asker = {0};
    BwSceneDef scene = smoke_scene(3, 0.125f);
    BwEmitterDef emitter = bw_emitter_def_default();
    set_box(&scene, 1.0f, 1.0f, 1.0f);
    emitter.shape = ball(0.5f, 0.5f, 0.5f, 0.25f);
    emitter.density =
        (BwCurve){.kind = BW_CURVE_FUNCTION, .components = 1, .function = ask_to_stop, .user = &asker};
    emitter.temperature = bw_curve_number(400.0f);
    scene.emitters = &emitter;
    scene.emitter_count = 1;
    BwWorld *world = make_world(&scene, 1);
    step_frames(world, 2);
    int iterations = bw_world_view_stats(world)->iterations;
    assert_true(iterations > 0);
    BwError err = {0};
    asker = (Asker){.is_armed = true};
    assert_int_equal(bw_world_step_frame(world, &asker.stop, &err), BW_ERR_INTERRUPTED);
    assert_int_equal(asker.calls, 1);
    assert_int_equal(bw_world_view_stats(world)->iterations, iterations);
    assert_int_equal(bw_world_view_stats(world)->frame, 2);
    uint64_t bytes;
    assert_int_equal(bw_checkpoint_size(world, &bytes, &err), BW_OK);
    bw_world_destroy(world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(divergence_is_below_what_was_asked),
        cmocka_unit_test(frames_come_at_their_times),
        cmocka_unit_test(fixed_steps_and_caps_are_honoured),
        cmocka_unit_test(a_stop_request_ends_within_the_step),
        cmocka_unit_test(a_stop_is_obeyed_within_a_step),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
