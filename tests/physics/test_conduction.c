// Conduction against temperatures with a known answer: between plates, around a hot cylinder, a wave of heat
// that levels out; nothing is lost through insulated walls; and heated surfaces without conduction.
#include "still_air.h"

static const float ambient = 300.0f;

// A box of 1 m by 1 m, n cells a side, where heat does not move the air.
static BwSceneDef still_box(int n, float conductivity)
{
    return still_air(2, 1.0f / (float)n, conductivity);
}

static double heat_at(BwWorld *world, int x, int y)
{
    const BwFrame *frame = frame_of(world);
    return (double)frame_value(frame, bw_frame_field(frame, "temperature"), x, y, 0);
}

static void heat_between_plates_is_a_straight_line(void **state)
{
    (void)state;
    BwSceneDef scene = still_box(20, 1.0f);
    scene.walls.side[BW_BOTTOM].temperature = bw_curve_number(350.0f);
    scene.walls.side[BW_TOP].temperature = bw_curve_number(290.0f);
    BwWorld *world = make_world(&scene, 1);
    step_frames(world, 30);
    double worst = 0.0;
    for (int y = 0; y < 20; y++)
        worst = fmax(worst, fabs(heat_at(world, 7, y) - (350.0 - 60.0 * (y + 0.5) / 20.0)));
    gate("plates_error_kelvin", worst, GATE_BELOW, 1e-3);
    bw_world_destroy(world);
}

static BwResult wave_of_heat(void *user, BwVec3 at, float value[4], BwError *err)
{
    (void)user;
    (void)err;
    value[0] = ambient + 10.0f * cosf(3.14159265f * at.x);
    return BW_OK;
}

// cos(pi x) dies as exp(-kappa pi^2 t) between insulated walls.
static void a_wave_of_heat_levels_out(void **state)
{
    (void)state;
    enum { N = 48 };
    BwSceneDef scene = still_box(N, 0.05f);
    scene.steps = 100;
    scene.initial.temperature.function = wave_of_heat;
    BwWorld *world = make_world(&scene, 1);
    step_frames(world, 2);
    double kept = (heat_at(world, 0, 9) - (double)ambient) / (10.0 * cos(0.5 * 3.14159265 / N));
    double rate = -log(kept) / frame_of(world)->time, exact = 0.05 * 3.14159265 * 3.14159265;
    gate("heat_wave_rate_error", fabs(rate / exact - 1.0), GATE_BELOW, 5e-3);
    bw_world_destroy(world);
}

// The temperature between a hot cylinder and a cold round wall is a logarithm of the radius.
static double hot_cylinder_error(int n)
{
    const float inner = 0.13f, outer = 0.41f;
    BwSceneDef scene = still_box(n, 1.0f);
    Cylinders cylinders;
    put_cylinders(&cylinders, &scene, inner, outer);
    BwWorld *world = make_world(&scene, 1);
    step_frames(world, 10);
    double worst = 0.0;
    for (int y = 0; y < n; y++)
        for (int x = 0; x < n; x++) {
            double r = hypot((x + 0.5) / n - 0.5, (y + 0.5) / n - 0.5);
            double exact = 300.0 + 100.0 * log((double)outer / r) / log((double)outer / (double)inner);
            if (r > (double)inner && r < (double)outer)
                worst = fmax(worst, fabs(heat_at(world, x, y) - exact));
        }
    bw_world_destroy(world);
    return worst;
}

static void heat_around_a_hot_cylinder_is_second_order(void **state)
{
    (void)state;
    double coarse = hot_cylinder_error(24), fine = hot_cylinder_error(96);
    gate("hot_cylinder_error_kelvin_96", fine, GATE_BELOW, 0.1);
    gate("hot_cylinder_order", 0.5 * log2(coarse / fine), GATE_ABOVE, 1.6);
}

static double total_heat(BwWorld *world)
{
    const BwFrame *frame = frame_of(world);
    const float *heat = bw_frame_field(frame, "temperature")->values;
    const float *solid = bw_frame_field(frame, "solid")->values;
    double sum = 0.0;
    for (int c = 0; c < frame->tile_count * 64; c++)
        sum += solid[c] == 0.0f ? (double)heat[c] - (double)ambient : 0.0;
    return sum;
}

// Heat beside an insulated ball in an insulated box.
static void insulated_walls_keep_the_heat(void **state)
{
    (void)state;
    BwSceneDef scene = still_box(40, 0.01f);
    scene.steps = 10;
    BwFillDef fill = bw_fill_def_default();
    fill.shape = ball(0.3f, 0.4f, 0.0f, 0.15f);
    fill.temperature = 400.0f;
    scene.fills = &fill;
    scene.fill_count = 1;
    BwObstacleDef obstacle = bw_obstacle_def_default();
    obstacle.shape = ball(0.6f, 0.5f, 0.0f, 0.17f);
    scene.obstacles = &obstacle;
    scene.obstacle_count = 1;
    BwWorld *world = make_world(&scene, 2);
    double before = total_heat(world);
    step_frames(world, 10);
    gate("insulated_heat_drift", fabs(total_heat(world) / before - 1.0), GATE_BELOW, 5e-5);
    gate("insulated_heat_has_spread_kelvin", heat_at(world, 2, 20) - (double)ambient, GATE_ABOVE, 1.0);
    bw_world_destroy(world);
}

// A sheet a fifth of a cell thick, anywhere between the samples, keeps hot and cold apart.
static void no_heat_passes_a_thin_sheet(void **state)
{
    (void)state;
    BwSceneDef scene = still_box(24, 0.01f);
    scene.steps = 5;
    BwFillDef fill = bw_fill_def_default();
    fill.shape =
        (BwShape){.kind = BW_SHAPE_BOX, .a = {-9.0f, -9.0f, -9.0f}, .b = {10.0f / 24.0f, 9.0f, 9.0f}};
    fill.temperature = 400.0f;
    scene.fills = &fill;
    scene.fill_count = 1;
    BwObstacleDef sheet = bw_obstacle_def_default();
    sheet.shape = (BwShape){.kind = BW_SHAPE_BOX, .a = {0.42f, -9.0f, -9.0f}, .b = {0.428f, 9.0f, 9.0f}};
    scene.obstacles = &sheet;
    scene.obstacle_count = 1;
    BwWorld *world = make_world(&scene, 1);
    step_frames(world, 4);
    double leaked = 0.0;
    for (int x = 11; x < 24; x++)
        leaked = fmax(leaked, fabs(heat_at(world, x, 12) - (double)ambient));
    gate("heat_through_a_sheet_kelvin", leaked, GATE_BELOW, 1e-3);
    bw_world_destroy(world);
}

// Without conduction a heated surface still warms the cells that touch it, and only those.
static void surfaces_heat_what_touches_them(void **state)
{
    (void)state;
    BwSceneDef scene = still_box(16, 0.0f);
    scene.walls.side[BW_BOTTOM].temperature = bw_curve_number(350.0f);
    scene.walls.side[BW_BOTTOM].part =
        (BwShape){.kind = BW_SHAPE_BOX, .a = {-1.0f, -1.0f, -1.0f}, .b = {0.5f, 0.1f, 1.0f}};
    BwObstacleDef obstacle = bw_obstacle_def_default();
    obstacle.shape = ball(0.5f, 0.6f, 0.0f, 0.1f);
    obstacle.temperature = bw_curve_number(600.0f);
    scene.obstacles = &obstacle;
    scene.obstacle_count = 1;
    BwWorld *world = make_world(&scene, 1);
    step_frames(world, 2);
    assert_float_equal(heat_at(world, 4, 0), 350.0, 1e-3);
    assert_float_equal(heat_at(world, 4, 1), 300.0, 1e-3);
    assert_float_equal(heat_at(world, 12, 0), 300.0, 1e-3); // beyond the part of the floor that is hot
    assert_float_equal(heat_at(world, 5, 9), 600.0, 1e-3);
    assert_float_equal(heat_at(world, 4, 9), 300.0, 1e-3);
    bw_world_destroy(world);
}

// Nothing else in the open: a heated ball wakes the air around it, and the warm air rises.
static void a_heated_ball_in_the_open_makes_a_plume(void **state)
{
    (void)state;
    BwSceneDef scene = smoke_scene(3, 0.1f);
    BwObstacleDef obstacle = bw_obstacle_def_default();
    obstacle.shape = ball(0.0f, 0.0f, 0.0f, 0.3f);
    obstacle.temperature = bw_curve_number(500.0f);
    scene.obstacles = &obstacle;
    scene.obstacle_count = 1;
    BwWorld *world = make_world(&scene, 2);
    step_frames(world, 12);
    const BwFrame *frame = frame_of(world);
    gate("heated_ball_rise", (double)frame_value(frame, bw_frame_field(frame, "v"), 0, 5, 0), GATE_ABOVE,
         0.2);
    gate("heated_ball_air_kelvin", (double)frame_value(frame, bw_frame_field(frame, "temperature"), 0, 4, 0),
         GATE_ABOVE, 350.0);
    bw_world_destroy(world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(heat_between_plates_is_a_straight_line),
        cmocka_unit_test(a_wave_of_heat_levels_out),
        cmocka_unit_test(heat_around_a_hot_cylinder_is_second_order),
        cmocka_unit_test(insulated_walls_keep_the_heat),
        cmocka_unit_test(no_heat_passes_a_thin_sheet),
        cmocka_unit_test(surfaces_heat_what_touches_them),
        cmocka_unit_test(a_heated_ball_in_the_open_makes_a_plume),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
