// Closed lids hold water back, and do not pull: what touches one falls off it as it would without, and what
// fills its tank to the lid stays where it is.
#include "liquid_run.h"

#include <stdio.h>

enum { CELLS = 32, STEPS_A_SECOND = 240 };

// Water between two heights in a closed box of 1 m.
static BwWorld *make_box(int dimension, BwFillDef *fill, float low, float high)
{
    BwSceneDef scene = liquid_scene(dimension, 1.0f / CELLS, BW_LIQUID_APIC);
    *fill = fill_of(bw_box(bw_vec3(0.0f, low, -1.0f), bw_vec3(1.0f, high, 1.0f)));
    set_box(&scene, 1.0f, 1.0f, dimension == 3 ? 0.25f : 1.0f);
    scene.steps = 1;
    scene.fps = STEPS_A_SECOND;
    scene.fills = fill;
    scene.fill_count = 1;
    return make_world(&scene, 2);
}

// What is less than a cell below the lid moves as the velocity between it and the next faces does, and lags.
static void a_slab_falls_off_the_lid(void **state)
{
    (void)state;
    for (int dimension = 2; dimension <= 3; dimension++) {
        BwFillDef fill;
        BwWorld *world = make_box(dimension, &fill, 0.7f, 1.0f);
        double before = water_sums(frame_of(world)).center[1], seconds = 0.25,
               way = 0.5 * liquid_gravity * seconds * seconds;
        step_frames(world, (int)(seconds * STEPS_A_SECOND));
        WaterSums sums = water_sums(frame_of(world));
        char name[64];
        snprintf(name, sizeof name, "lid_slab_fall_error_%dd", dimension);
        gate_wanted(name, fabs((before - sums.center[1]) / way - 1.0), 0.05, 0.01);
        snprintf(name, sizeof name, "lid_slab_drift_%dd", dimension);
        gate(name, fabs(bw_world_view_stats(world)->volume_drift), GATE_BELOW, 0.01);
        bw_world_destroy(world);
    }
}

// Where there is no air the pressure is known but for a constant, and may well be below 0 at the lid.
static void a_full_tank_stays_full(void **state)
{
    (void)state;
    BwFillDef fill;
    BwWorld *world = make_box(2, &fill, 0.0f, 1.0f);
    double fastest = 0.0;
    for (int step = 0; step < 100; step++) {
        step_frames(world, 1);
        fastest = fmax(fastest, water_sums(frame_of(world)).speed_max);
    }
    gate("lid_full_tank_speed", fastest / sqrt(liquid_gravity), GATE_BELOW, 1e-4);
    bw_world_destroy(world);
}

// With half a cell of air below the lid the water touches it here and there.
static void a_nearly_full_tank_is_calm(void **state)
{
    (void)state;
    BwFillDef fill;
    BwWorld *world = make_box(2, &fill, 0.0f, 1.0f - 0.5f / CELLS);
    double volume = water_volume(frame_of(world));
    step_frames(world, 100);
    WaterSums sums = water_sums(frame_of(world));
    gate("lid_nearly_full_speed", sums.speed_max / sqrt(liquid_gravity), GATE_BELOW, 0.02);
    gate("lid_nearly_full_volume", fabs(sums.volume / volume - 1.0), GATE_BELOW, 1e-6);
    bw_world_destroy(world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_slab_falls_off_the_lid),
        cmocka_unit_test(a_full_tank_stays_full),
        cmocka_unit_test(a_nearly_full_tank_is_calm),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
