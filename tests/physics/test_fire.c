// Fire by the simple model, against the equations that it solves: fuel that burns away, heat that radiates,
// gas that expands as an ideal one, and soot that is kept.
#include "run.h"

#include "operate/cooling.h"

static const double T_air = 293.15, T_max = 2000.0, ignition = 600.0;

static BwSceneDef fire_scene(int dimension, float cell)
{
    BwSceneDef scene = smoke_scene(dimension, cell);
    scene.fluid = BW_FLUID_FIRE;
    scene.fire.model = BW_FIRE_SIMPLE;
    scene.fire.fuel.ignition = (float)ignition;
    scene.fire.fuel.temperature_max = (float)T_max;
    scene.fire.fuel.soot = 0.5f;
    scene.gravity = bw_curve_vector(0.0f, 0.0f, 0.0f);
    return scene;
}

// All of a box of gas at one temperature, with one share of fuel.
static BwFillDef fill_box(float fuel, float temperature)
{
    BwFillDef fill = bw_fill_def_default();
    fill.shape =
        (BwShape){.kind = BW_SHAPE_BOX, .a = bw_vec3(-9.0f, -9.0f, -9.0f), .b = bw_vec3(9.0f, 9.0f, 9.0f)};
    fill.density = 0.0f;
    fill.fuel = fuel;
    fill.temperature = temperature;
    return fill;
}

static double value_at(BwWorld *world, const char *name, int i, int j)
{
    const BwFrame *frame = frame_of(world);
    return (double)frame_value(frame, bw_frame_field(frame, name), i, j, 0);
}

// T - T_air = (T_0 - T_air) / cbrt(1 + 3 k q^3 t), k and q as in operate/cooling.h, in double.
static double cooled(double T, double cooling, double t)
{
    double span = T_max - T_air, q = (T - T_air) / span;
    return T_air + span * q / cbrt(1.0 + 3.0 * cooling / span * q * q * q * t);
}

static void heat_radiates_with_the_fourth_power(void **state)
{
    (void)state;
    BwSceneDef scene = fire_scene(2, 0.125f);
    BwFillDef fill = fill_box(0.0f, 1900.0f);
    set_box(&scene, 1.0f, 1.0f, 0.0f);
    scene.fire.expansion = 0.0f;
    scene.fire.cooling = 4000.0f;
    scene.fills = &fill;
    scene.fill_count = 1;
    scene.steps = 7;
    BwWorld *world = make_world(&scene, 1);
    double worst = 0.0;
    for (int frame = 1; frame <= 24; frame++) {
        step_frames(world, 1);
        double exact = cooled(1900.0, 4000.0, frame / 24.0);
        worst = fmax(worst, fabs(value_at(world, "temperature", 3, 4) / exact - 1.0));
    }
    gate("fire.cooling_relative", worst, GATE_BELOW, 1e-5);
    bw_world_destroy(world);
}

// With s = 1 - exp(-r t) burnt: fuel 1 - s, soot 0.5 s, heat (T_max - T_air) s; glowing soot f obeys
// f' = r exp(-r t) - b f. A step adds what burnt at its end, so short steps are needed for f alone.
static void fuel_burns_away(void **state)
{
    (void)state;
    BwSceneDef scene = fire_scene(2, 0.125f);
    BwFillDef fill = fill_box(0.6f, 700.0f);
    set_box(&scene, 1.0f, 1.0f, 0.0f);
    scene.fire.expansion = scene.fire.cooling = 0.0f;
    scene.fire.burn_rate = 5.0f;
    scene.fire.fade = 2.0f;
    scene.fills = &fill;
    scene.fill_count = 1;
    scene.steps = 40;
    BwWorld *world = make_world(&scene, 1);
    step_frames(world, 12);
    double t = 0.5, left = exp(-5.0 * t), burnt = 0.6 * (1.0 - left);
    double flame = 0.6 * 5.0 / (2.0 - 5.0) * (left - exp(-2.0 * t));
    gate("fire.fuel_left", fabs(value_at(world, "fuel", 3, 4) / (0.6 * left) - 1.0), GATE_BELOW, 1e-4);
    gate("fire.soot_left", fabs(value_at(world, "density", 3, 4) / (0.5 * burnt) - 1.0), GATE_BELOW, 1e-4);
    gate("fire.heat_of_burning",
         fabs(value_at(world, "temperature", 3, 4) / (700.0 + (T_max - T_air) * burnt) - 1.0), GATE_BELOW,
         1e-4);
    gate("fire.flame", fabs(value_at(world, "flame", 3, 4) / flame - 1.0), GATE_BELOW, 5e-3);
    const BwStats *stats = bw_world_view_stats(world);
    gate("fire.fuel_told", fabs(stats->fuel / (0.6 * left) - 1.0), GATE_BELOW, 1e-4);
    bw_world_destroy(world);
}

// Cold fuel does not burn, and a scene in which nothing is hot stays as it is.
static void cold_fuel_stays(void **state)
{
    (void)state;
    BwSceneDef scene = fire_scene(2, 0.125f);
    BwFillDef fill = fill_box(1.0f, 590.0f);
    set_box(&scene, 1.0f, 1.0f, 0.0f);
    scene.fire.expansion = scene.fire.cooling = 0.0f;
    scene.fills = &fill;
    scene.fill_count = 1;
    BwWorld *world = make_world(&scene, 1);
    step_frames(world, 4);
    assert_true(value_at(world, "fuel", 3, 4) == 1.0 && value_at(world, "flame", 3, 4) == 0.0);
    bw_world_destroy(world);
}

// In a tube that is open at the top the gas expands by d ln T / dt everywhere: the velocity is that times the
// height, and what leaves is the volume times ln of the ratio of temperatures. The last layer of cells before
// an open side belongs to the outside.
static void hot_gas_expands(void **state)
{
    (void)state;
    BwSceneDef scene = fire_scene(2, 1.0f / 32.0f);
    BwFillDef fill = fill_box(0.25f, 700.0f);
    set_box(&scene, 0.25f, 1.0f, 0.0f);
    scene.walls.side[BW_TOP].kind = BW_WALL_OPEN;
    scene.fire.cooling = 0.0f;
    scene.fire.burn_rate = 2.0f;
    scene.fills = &fill;
    scene.fill_count = 1;
    scene.steps = 20;
    scene.solver.tolerance = 1e-7f;
    BwWorld *world = make_world(&scene, 1);
    double expanded = 0.0, h = 1.0 / 32.0, dt = 1.0 / 24.0 / 20.0;
    for (int frame = 0; frame < 6; frame++) {
        step_frames(world, 1);
        expanded += bw_world_view_stats(world)->expanded;
    }
    double T = value_at(world, "temperature", 2, 5);
    double after = 700.0 + (T_max - T_air) * 0.25 * (1.0 - exp(-2.0 * 0.25));
    double before = 700.0 + (T_max - T_air) * 0.25 * (1.0 - exp(-2.0 * (0.25 - dt)));
    gate("fire.expanding_temperature", fabs(T / after - 1.0), GATE_BELOW, 1e-4);
    gate("fire.expanded_volume", fabs(expanded / (0.25 * 31.0 / 32.0 * log(after / 700.0)) - 1.0), GATE_BELOW,
         1e-3);
    double speed = 24.0 * h * log(after / before) / dt;
    gate("fire.speed_of_expansion", fabs(value_at(world, "v", 3, 24) / speed - 1.0), GATE_BELOW, 1e-3);
    bw_world_destroy(world);
}

// Soot that a ball of burning gas leaves, in a box that is open all round: what there is, what was made and
// what left add up, though the gas grows to several times its volume.
static void soot_is_kept(void **state)
{
    (void)state;
    BwSceneDef scene = fire_scene(2, 1.0f / 48.0f);
    BwFillDef fill = fill_box(1.0f, 700.0f);
    fill.shape = ball(1.0f, 1.0f, 0.0f, 0.25f);
    fill.density = 1.0f;
    set_box(&scene, 2.0f, 2.0f, 0.0f);
    for (int side = 0; side < BW_BACK; side++)
        scene.walls.side[side].kind = BW_WALL_OPEN;
    scene.fire.cooling = 0.0f;
    scene.fills = &fill;
    scene.fill_count = 1;
    BwWorld *world = make_world(&scene, 1);
    double mass = M_PI * 0.25 * 0.25, made = 0.0, expanded = 0.0;
    for (int frame = 0; frame < 12; frame++) {
        step_frames(world, 1);
        made += bw_world_view_stats(world)->emitted;
        expanded += bw_world_view_stats(world)->expanded;
        assert_int_equal(bw_world_view_stats(world)->retries, 0);
    }
    gate("fire.volume_gained", expanded / mass, GATE_ABOVE, 0.8);
    gate("fire.soot_is_kept", fabs(bw_world_view_stats(world)->mass / (mass + made) - 1.0), GATE_BELOW, 0.02);
    bw_world_destroy(world);
}

// An emitter of burning gas that cools at once: what it keeps hot does not contract anew in every step, and
// what leaves it shrinks to a third. Cooling without end is as cooling of a million kelvin a second.
static void cooling_of_any_strength_is_calm(void **state)
{
    (void)state;
    const float coolings[] = {1e6f, 1e8f, 1e10f, 1e15f};
    double first = 0.0;
    for (int n = 0; n < 4; n++) {
        BwSceneDef scene = fire_scene(2, 1.0f / 24.0f);
        BwEmitterDef emitter = bw_emitter_def_default();
        emitter.shape = ball(0.5f, 0.2f, 0.0f, 0.1f);
        emitter.fuel = bw_curve_number(1.0f);
        emitter.temperature = bw_curve_number(900.0f);
        emitter.velocity = bw_curve_vector(0.0f, 1.0f, 0.0f);
        set_box(&scene, 1.0f, 1.0f, 0.0f);
        scene.walls.side[BW_TOP].kind = BW_WALL_OPEN;
        scene.fire.cooling = coolings[n];
        scene.emitters = &emitter;
        scene.emitter_count = 1;
        BwWorld *world = make_world(&scene, 1);
        double fastest = 0.0;
        for (int frame = 0; frame < 12; frame++) {
            step_frames(world, 1);
            fastest = fmax(fastest, (double)bw_world_view_stats(world)->max_speed);
            assert_int_equal(bw_world_view_stats(world)->retries, 0);
            assert_int_equal(bw_world_view_stats(world)->steps_capped, 0);
        }
        double mass = bw_world_view_stats(world)->mass;
        first = n == 0 ? mass : first;
        gate("fire.cooled_speed", fastest, GATE_BELOW, 4.0);
        gate("fire.cooled_smoke", mass / first, GATE_BELOW, 1.5);
        bw_world_destroy(world);
    }
}

static void expect_refusal(const char *text, const char *wanted)
{
    BwScene *scene;
    BwError err = {0};
    BwResult result = bw_scene_load_text(&scene, text, strlen(text), "fire.lua", NULL, &err);
    if (result == BW_OK) {
        result = bw_scene_def_check_runnable(bw_scene_view_def(scene), &err);
        bw_scene_destroy(scene);
    }
    assert_true(result != BW_OK);
    if (strstr(err.message, wanted) == NULL)
        fail_msg("wanted \"%s\" in: %s", wanted, err.message);
}

#define FIRE "scene { fluid = 'fire', cell = 0.1 } "
#define BOX  "walls { min = {0, 0, 0}, max = {1, 1, 1} } "

static void wrong_fires_are_refused(void **state)
{
    (void)state;
    expect_refusal(FIRE BOX "fire { model = 'simple' }", "the box is sealed, and fire makes gas expand");
    expect_refusal(FIRE "fire { model = 'simple', fuel = { name = 'methane', ignition = 3000 } }",
                   "must be above");
    expect_refusal(FIRE "fire { model = 'simple', fuel = 'coal' }", "known: propane, methane");
    expect_refusal(FIRE "fire { model = 'simple', fuel = { ignition = 200 } }", "cannot be kept");
    expect_refusal(FIRE "fire { model = 'simple', rise = 1 }", "rise");
    expect_refusal(
        "scene { cell = 0.1 } emitter { shape = sphere { center = {0, 0, 0}, radius = 1 }, fuel = 1 }",
        "emitter.fuel cannot be run with fluid \"smoke\"");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(heat_radiates_with_the_fourth_power),
        cmocka_unit_test(fuel_burns_away),
        cmocka_unit_test(cold_fuel_stays),
        cmocka_unit_test(hot_gas_expands),
        cmocka_unit_test(soot_is_kept),
        cmocka_unit_test(cooling_of_any_strength_is_calm),
        cmocka_unit_test(wrong_fires_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
