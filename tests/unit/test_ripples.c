// Small waves on top of drawn water: as steep as the scene asks, as fast as waves on deep water, in one place
// wherever the water's cells are counted from, and gone where they would be narrower than a pixel.
#include "gate.h"
#include "random.h"
#include "render/optics.h"
#include "render/ripples.h"

#include <math.h>

static const double pi = 3.14159265358979;
static const float cell = 0.1f;

static BwSceneDef rippled_scene(float slope, float length)
{
    BwSceneDef scene = bw_scene_def_default();
    scene.fluid = BW_FLUID_LIQUID;
    scene.cell = cell;
    scene.look.ripples = slope;
    scene.look.ripple_length = length;
    return scene;
}

static BwRipples ripples_at(const BwSceneDef *scene, double origin, double time, float pixel)
{
    BwWater water = {.origin = {origin, 0.0, -origin}, .cell = cell};
    BwRipples ripples;
    BwError err = {0};
    if (bw_ripples_set(&ripples, scene, &water, time, pixel, &err) != BW_OK)
        fail_msg("%s", err.message);
    return ripples;
}

static void slopes_are_those_that_are_asked_for(void **state)
{
    (void)state;
    BwSceneDef scene = rippled_scene(0.1f, 0.0f), calm = rippled_scene(0.0f, 0.0f);
    Random random = random_seeded(3);
    double square = 0.0, sum = 0.0;
    int count = 40000;
    for (int n = 0; n < count; n++) {
        static BwRipples ripples;
        if (n % 400 == 0)
            ripples = ripples_at(&scene, 0.0, 0.37 * n, 1e-6f);
        const float place[3] = {(float)random_between(&random, -500.0, 500.0), 3.0f,
                                (float)random_between(&random, -500.0, 500.0)};
        float slope[2];
        bw_ripples_slope(&ripples, place, 10.0f, slope);
        square += (double)slope[0] * (double)slope[0] + (double)slope[1] * (double)slope[1];
        sum += (double)slope[0];
    }
    gate("ripples_slope_off", fabs(sqrt(square / count) / 0.1 - 1.0), GATE_BELOW, 0.1);
    gate("ripples_slope_mean", fabs(sum / count), GATE_BELOW, 0.002);
    assert_int_equal(ripples_at(&calm, 0.0, 1.0, 1e-6f).count, 0);
    assert_true(ripples_at(&scene, 0.0, 0.0, 1e-6f).waves[0].length == 2.0f);
}

// The longest goes round in sqrt(2 pi L / g); and all are where they were when cells are counted from
// elsewhere.
static void waves_run_as_on_deep_water(void **state)
{
    (void)state;
    const double length = 1.0, period = sqrt(2.0 * pi * length / 9.81);
    BwSceneDef scene = rippled_scene(0.2f, (float)length);
    BwRipples first = ripples_at(&scene, 0.0, 2.0, 1e-6f),
              later = ripples_at(&scene, 0.0, 2.0 + period, 1e-6f);
    double round = remainder((double)later.waves[0].phase - (double)first.waves[0].phase, 2.0 * pi),
           off = 0.0;
    gate("ripples_period_off", fabs(round / (2.0 * pi)), GATE_BELOW, 1e-3);
    BwRipples moved = ripples_at(&scene, 8.0 * (double)cell, 2.0, 1e-6f);
    for (int n = 0; n < 100; n++) {
        const float place[3] = {0.3f * (float)n, 0.0f, 7.0f - 0.2f * (float)n},
                    same[3] = {place[0] - 8.0f, 0.0f, place[2] + 8.0f};
        float a[2], b[2];
        bw_ripples_slope(&first, place, 1.0f, a);
        bw_ripples_slope(&moved, same, 1.0f, b);
        off = fmax(off, fmax(fabs((double)(a[0] - b[0])), fabs((double)(a[1] - b[1]))));
    }
    gate("ripples_jump", off, GATE_BELOW, 1e-4);
}

static void waves_finer_than_pixels_are_left_out(void **state)
{
    (void)state;
    BwSceneDef scene = rippled_scene(0.2f, 0.0f);
    BwRipples ripples =
        ripples_at(&scene, 0.0, 1.0, 0.01f); // a pixel is as wide as the longest 200 cells away
    float slope[2];
    double most = 0.0;
    for (int n = 0; n < 100; n++) {
        const float place[3] = {1.7f * (float)n, 0.0f, 0.9f * (float)n};
        bw_ripples_slope(&ripples, place, 200.0f, slope);
        most = fmax(most, fmax(fabs((double)slope[0]), fabs((double)slope[1])));
    }
    gate("ripples_far_slope", most, GATE_BELOW, 0.0);
}

// Mirrored rays leave the water they were mirrored by, however they graze it; walls and undersides are left
// as they are.
static void mirrored_rays_come_off(void **state)
{
    (void)state;
    BwSceneDef scene = rippled_scene(0.4f, 0.0f);
    BwRipples ripples = ripples_at(&scene, 0.0, 1.0, 1e-6f);
    double least = 1.0, tilt = 0.0;
    for (int n = 0; n < 1000; n++) {
        float down = 0.001f + 0.5f * (float)(n % 40) / 40.0f;
        BwVec3 ray = bw_normalize(bw_vec3(cosf((float)n), -down, sinf((float)n)));
        const float origin[3] = {0.37f * (float)n, 1.0f, 0.11f * (float)n};
        BwCrossing crossing = {2.0f, {0.0f, 1.0f, 0.0f}, {0.0f, 1.0f, 0.0f}};
        bw_ripples_tilt(&ripples, origin, ray, &crossing);
        assert_float_equal(bw_length(crossing.normal), 1.0f, 1e-5f);
        BwVec3 back = bw_reflect(ray, crossing.normal, -bw_dot(crossing.normal, ray));
        least = fmin(least, (double)bw_dot(back, crossing.face));
        tilt = fmax(tilt, 1.0 - (double)crossing.normal.y);
    }
    gate("ripples_mirrored_rise", least, GATE_ABOVE, 0.0);
    gate("ripples_tilt", tilt, GATE_ABOVE, 0.02);
    const float origin[3] = {1.0f, 1.0f, 1.0f};
    BwCrossing wall = {2.0f, {1.0f, 0.0f, 0.0f}, {1.0f, 0.0f, 0.0f}},
               under = {2.0f, {0.0f, -1.0f, 0.0f}, {0.0f, -1.0f, 0.0f}};
    bw_ripples_tilt(&ripples, origin, bw_vec3(-1.0f, 0.0f, 0.0f), &wall);
    bw_ripples_tilt(&ripples, origin, bw_vec3(0.0f, 1.0f, 0.0f), &under);
    assert_true(wall.normal.x == 1.0f && under.normal.y == -1.0f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(slopes_are_those_that_are_asked_for), cmocka_unit_test(waves_run_as_on_deep_water),
        cmocka_unit_test(waves_finer_than_pixels_are_left_out), cmocka_unit_test(mirrored_rays_come_off)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
