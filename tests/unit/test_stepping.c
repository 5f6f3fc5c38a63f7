// Steps and frames: frames land exactly on their times for every kind of limit, and the caps are honoured.
#include "gate.h"
#include "world/stepping.h"

#include <math.h>

// Walks through frames as a world does, and counts the steps.
static int walk(const BwStepRule *rule, double fps, double limit, int frames, double *shortest,
                double *longest)
{
    double time = 0.0;
    int steps = 0;
    *shortest = INFINITY;
    *longest = 0.0;
    for (int frame = 1; frame <= frames; frame++) {
        double end = bw_frame_time(frame, fps);
        for (int taken = 0; time < end; taken++) {
            double dt = bw_next_step(rule, time, end, limit, taken);
            assert_true(dt > 0.0 && dt <= end - time);
            *shortest = fmin(*shortest, dt);
            *longest = fmax(*longest, dt);
            time = dt >= end - time ? end : time + dt;
            steps++;
            assert_true(steps < 1000000);
        }
        assert_true(time == (double)frame / fps);
    }
    return steps;
}

static void frames_land_on_their_times(void **state)
{
    (void)state;
    const double limits[] = {1e-4, 0.0031, 0.0137, 1.0 / 24.0, 0.04, 0.5, INFINITY};
    for (int n = 0; n < 7; n++)
        for (int k = 0; k < 2; k++) {
            double fps = k == 0 ? 24.0 : 60.0, shortest, longest;
            BwStepRule rule = {0.0, INFINITY, 0, 1000};
            int steps = walk(&rule, fps, limits[n], 50, &shortest, &longest);
            assert_true(longest <= limits[n] * (1.0 + 1e-6));
            // As few as the limit allows, without slivers: no step is less than half of another.
            assert_int_equal(steps, 50 * (int)fmax(1.0, ceil(1.0 / fps / limits[n] - 1e-6)));
            assert_true(shortest > 0.5 * longest);
        }
}

static void caps_are_honoured(void **state)
{
    (void)state;
    double shortest, longest;
    BwStepRule fixed = {0.0, INFINITY, 3, 100};
    assert_int_equal(walk(&fixed, 24.0, 1e-5, 10, &shortest, &longest), 30);
    BwStepRule most = {0.0, INFINITY, 0, 4};
    assert_int_equal(walk(&most, 24.0, 1e-5, 10, &shortest, &longest), 40);
    BwStepRule longest_asked = {0.0, 0.01, 0, 100};
    assert_int_equal(walk(&longest_asked, 25.0, INFINITY, 10, &shortest, &longest), 40);
    BwStepRule shortest_asked = {0.01, INFINITY, 0, 100};
    walk(&shortest_asked, 25.0, 1e-5, 10, &shortest, &longest);
    assert_true(shortest >= 0.01 - 1e-12);
    // A shortest step longer than a frame still shows every frame.
    BwStepRule long_steps = {0.3, INFINITY, 0, 100};
    assert_int_equal(walk(&long_steps, 24.0, 1.0, 10, &shortest, &longest), 10);
}

// The steps of a frame go to where a charge begins, and then to the frame's end; what begins within rounding
// of either is taken to begin there.
static void steps_end_where_charges_begin(void **state)
{
    (void)state;
    BwChargeDef charges[2] = {bw_charge_def_default(), bw_charge_def_default()};
    BwSceneDef scene = bw_scene_def_default();
    scene.fps = 24.0;
    scene.charges = charges;
    scene.charge_count = 2;
    charges[0].start = 0.06;
    charges[1].start = 0.05;
    assert_true(bw_step_until(&scene, 1.0 / 24.0, 2.0 / 24.0) == 0.05);
    assert_true(bw_step_until(&scene, 0.05, 2.0 / 24.0) == 0.06);
    assert_true(bw_step_until(&scene, 0.06, 2.0 / 24.0) == 2.0 / 24.0);
    charges[0].start = 1.0 / 24.0 + 1e-9;
    charges[1].start = 2.0 / 24.0 - 1e-9;
    assert_true(bw_step_until(&scene, 1.0 / 24.0, 2.0 / 24.0) == 2.0 / 24.0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(frames_land_on_their_times),
        cmocka_unit_test(caps_are_honoured),
        cmocka_unit_test(steps_end_where_charges_begin),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
