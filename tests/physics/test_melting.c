// Heat in liquids: a slab beside a hot wall, bodies that touch, a front of melting with latent heat, what the
// air takes; and wax that holds, melts from outside in and keeps its volume.
#include "liquid_run.h"

#include <stdio.h>

static const double cold = 300.0, hot = 400.0;

// All of a box is liquid, at rest, without weight; nothing leaves but through sides that have a temperature.
static BwSceneDef still_scene(int cells, float length, float conductivity)
{
    BwSceneDef scene = liquid_scene(2, length / (float)cells, BW_LIQUID_APIC);
    scene.gravity = bw_curve_vector(0.0f, 0.0f, 0.0f);
    scene.liquid.melt.conductivity = conductivity;
    set_box(&scene, length, 8.0f * scene.cell, 0.0f);
    return scene;
}

// Of the particles in columns of cells along x; what frames show of a cell counts those around it as well,
// which beside a wall are all on one side.
static void find_columns(const BwFrame *frame, int cells, double *means)
{
    const BwFrameParticles *water = water_of(frame);
    const float *values =
        bw_frame_attribute(water->attributes, water->attribute_count, "temperature")->values;
    double volumes[64] = {0.0};
    assert_true(cells <= 64);
    for (int i = 0; i < cells; i++)
        means[i] = 0.0;
    for (int64_t n = 0; n < water->count; n++) {
        double place[3];
        bw_frame_particle_place(frame, water, n, place);
        int i = (int)(place[0] / (double)frame->cell_size);
        means[i] += (double)(water_volumes(water)[n] * values[n]);
        volumes[i] += (double)water_volumes(water)[n];
    }
    for (int i = 0; i < cells; i++)
        means[i] /= volumes[i];
}

static double temperature_at(const BwFrame *frame, int i, int j)
{
    const BwFrameField *field = bw_frame_field(frame, "temperature");
    assert_non_null(field);
    return (double)frame_value(frame, field, i, j, 0);
}

static double slab_error(int cells)
{
    const double diffusivity = 1e-3;
    BwSceneDef scene = still_scene(cells, 1.0f, (float)diffusivity);
    BwFillDef fill = fill_corner(1.0f, 1.0f, 1.0f);
    fill.temperature = (float)cold;
    scene.walls.side[BW_LEFT].temperature = bw_curve_number((float)hot);
    scene.fills = &fill;
    scene.fill_count = 1;
    BwWorld *world = make_world(&scene, 1);
    step_frames(world, 240);
    const BwFrame *frame = frame_of(world);
    double means[64], worst = 0.0, reach = 2.0 * sqrt(diffusivity * frame->time);
    find_columns(frame, cells, means);
    for (int i = 0; i < cells; i++) {
        double x = (i + 0.5) / cells, exact = cold + (hot - cold) * erfc(x / reach);
        worst = worse(worst, fabs(means[i] - exact) / (hot - cold));
    }
    bw_world_destroy(world);
    return worst;
}

static void a_slab_warms_by_the_error_function(void **state)
{
    (void)state;
    double coarse = slab_error(16), fine = slab_error(32);
    printf("slab: %.5f with 16 cells, %.5f with 32\n", coarse, fine);
    gate("heat_slab_error_32", fine, GATE_BELOW, 0.01);
}

// One part hot, three parts cold, and a cell where both are.
static void bodies_that_touch_become_alike(void **state)
{
    (void)state;
    BwSceneDef scene = still_scene(32, 1.0f, 0.05f);
    const float border = 8.5f / 32.0f;
    BwFillDef fills[2] = {fill_corner(border, 1.0f, 1.0f),
                          fill_of(bw_box(bw_vec3(border, 0.0f, -1.0f), bw_vec3(1.0f, 1.0f, 1.0f)))};
    fills[0].temperature = (float)hot;
    fills[1].temperature = (float)cold;
    scene.fills = fills;
    scene.fill_count = 2;
    BwWorld *world = make_world(&scene, 1);
    double heat = bw_world_view_stats(world)->heat, mean = cold + (hot - cold) * (double)border, worst = 0.0;
    step_frames(world, 480);
    const BwFrameParticles *water = water_of(frame_of(world));
    const float *values =
        bw_frame_attribute(water->attributes, water->attribute_count, "temperature")->values;
    for (int64_t n = 0; n < water->count; n++)
        worst = worse(worst, fabs((double)values[n] - mean) / (hot - cold));
    gate("heat_bodies_mean_error", worst, GATE_BELOW, 0.005);
    gate("heat_bodies_energy_change", fabs(bw_world_view_stats(world)->heat / heat - 1.0), GATE_BELOW, 1e-3);
    bw_world_destroy(world);
}

// Stefan's problem: a solid just below its melting point, beside a wall that is hotter. The front goes as
// 2 lambda sqrt(diffusivity t), lambda exp(lambda^2) erf(lambda) = heat_capacity (hot - melting) /
// (latent_heat sqrt(pi)).
static double stefan_lambda(double number)
{
    double low = 0.0, high = 3.0;
    for (int n = 0; n < 60; n++) {
        double l = 0.5 * (low + high);
        *(l * exp(l * l) * erf(l) * 1.7724538509 < number ? &low : &high) = l;
    }
    return low;
}

static void a_front_of_melting_advances(void **state)
{
    (void)state;
    const double diffusivity = 1e-3, melting = 300.0;
    const int cells = 64;
    BwSceneDef scene = still_scene(cells, 1.0f, (float)diffusivity);
    BwFillDef fill = fill_corner(1.0f, 1.0f, 1.0f);
    fill.temperature = (float)melting - 0.5f;
    scene.walls.side[BW_LEFT].temperature = bw_curve_number((float)hot);
    scene.liquid.heat_capacity = 2000.0f;
    scene.liquid.melt.solid = (float)melting - 0.5f;
    scene.liquid.melt.liquid = (float)melting + 0.5f;
    scene.liquid.melt.latent_heat = 2e5f;
    scene.liquid.melt.viscosity_solid = 1.0f;
    scene.fills = &fill;
    scene.fill_count = 1;
    BwWorld *world = make_world(&scene, 1);
    double heat = bw_world_view_stats(world)->heat, lambda = stefan_lambda(2000.0 * (hot - melting) / 2e5);
    step_frames(world, 480);
    const BwFrame *frame = frame_of(world);
    double means[64], front = (double)NAN, exact = 2.0 * lambda * sqrt(diffusivity * frame->time);
    find_columns(frame, cells, means);
    for (int i = 0; i + 1 < cells; i++) {
        double here = means[i], next = means[i + 1];
        if (here >= melting && next < melting)
            front = (i + 0.5 + (here - melting) / (here - next)) / cells;
    }
    // All that went in: through the wall at the hot end, density heat_capacity diffusivity times the slope.
    double flowed = 1000.0 * 2000.0 * (hot - melting) / erf(lambda) * 2.0 *
                    sqrt(diffusivity * frame->time / 3.14159265358979) * 8.0 / cells;
    double gained = bw_world_view_stats(world)->heat - heat;
    printf("front at %.4f m, exact %.4f m; heat %.4g J, exact %.4g J\n", front, exact, gained, flowed);
    gate("heat_stefan_front_error", fabs(front / exact - 1.0), GATE_BELOW, 0.03);
    gate("heat_stefan_energy_error", fabs(gained / flowed - 1.0), GATE_BELOW, 0.02);
    bw_world_destroy(world);
}

// A layer with air above cools to it by exp(-heat_transfer t / (density heat_capacity depth)).
static void the_air_takes_heat(void **state)
{
    (void)state;
    BwSceneDef scene = still_scene(32, 1.0f, 1.0f);
    BwFillDef fill = fill_corner(1.0f, 4.0f / 32.0f, 1.0f);
    fill.temperature = (float)hot;
    scene.liquid.heat_capacity = 1000.0f;
    scene.liquid.melt.heat_transfer = 1e5f;
    scene.fills = &fill;
    scene.fill_count = 1;
    BwWorld *world = make_world(&scene, 1);
    double heat = bw_world_view_stats(world)->heat;
    step_frames(world, 24);
    double left = bw_world_view_stats(world)->heat / heat, exact = exp(-1e5 / (1e6 * 0.125));
    gate("heat_to_the_air_error", fabs(left / exact - 1.0), GATE_BELOW, 0.03);
    bw_world_destroy(world);
}

// A block of wax on a floor that it sticks to.
enum { WAX_CELLS = 24 };

static BwSceneDef wax_scene(BwFillDef *fill)
{
    BwSceneDef scene = liquid_scene(2, 0.1f / (float)WAX_CELLS, BW_LIQUID_APIC);
    set_box(&scene, 0.4f, 0.2f, 0.0f);
    scene.walls.slip = 0.0f;
    scene.liquid.density = 900.0f;
    scene.liquid.heat_capacity = 2500.0f;
    scene.liquid.viscosity = bw_curve_number(1e-3f);
    scene.liquid.melt.solid = 320.0f;
    scene.liquid.melt.liquid = 330.0f;
    scene.liquid.melt.viscosity_solid = 1e3f;
    *fill = fill_of(bw_box(bw_vec3(0.15f, 0.0f, -1.0f), bw_vec3(0.25f, 0.1f, 1.0f)));
    fill->temperature = 295.0f;
    return scene;
}

static double top_of(const BwFrame *frame)
{
    double top = 0.0;
    for (int64_t n = 0; n < water_of(frame)->count; n++) {
        double place[3];
        bw_frame_particle_place(frame, water_of(frame), n, place);
        top = fmax(top, place[1]);
    }
    return top;
}

static void cold_wax_holds(void **state)
{
    (void)state;
    BwFillDef fill;
    BwSceneDef scene = wax_scene(&fill);
    scene.fills = &fill;
    scene.fill_count = 1;
    BwWorld *world = make_world(&scene, 1);
    double top = top_of(frame_of(world));
    step_frames(world, 240);
    double sag = (top - top_of(frame_of(world))) / (double)scene.cell;
    gate("cold_wax_sags_cells", fabs(sag), GATE_BELOW, 1.0);
    gate("cold_wax_drift", fabs(bw_world_view_stats(world)->volume_drift), GATE_BELOW, 0.01);
    bw_world_destroy(world);
}

// In air that is hot the surface melts first, then all of it, and the block runs flat.
static void wax_melts_from_outside_in(void **state)
{
    (void)state;
    BwFillDef fill;
    BwSceneDef scene = wax_scene(&fill);
    BwObstacleDef oven = solid_of(bw_box(bw_vec3(0.25f, 0.0f, -1.0f), bw_vec3(0.3f, 0.2f, 1.0f)));
    oven.temperature = bw_curve_number(360.0f);
    oven.slip = bw_curve_number(0.0f);
    scene.walls.side[BW_BOTTOM].temperature = bw_curve_number(360.0f);
    scene.liquid.melt.conductivity = 2e-5f;
    scene.fills = &fill;
    scene.fill_count = 1;
    scene.obstacles = &oven;
    scene.obstacle_count = 1;
    BwWorld *world = make_world(&scene, 1);
    step_frames(world, 144);
    const BwFrame *frame = frame_of(world);
    double inner = temperature_at(frame, (26 * WAX_CELLS / 16), 9 * WAX_CELLS / 16),
           outer = temperature_at(frame, (30 * WAX_CELLS / 16), 1), drift = 0.0;
    printf("after 6 s: %.1f K inside, %.1f K at the plates, top at %.4f m\n", inner, outer, top_of(frame));
    gate("wax_inner_temperature_still_cold", inner, GATE_BELOW, 320.0);
    gate("wax_outer_temperature_melted", outer, GATE_ABOVE, 330.0);
    double early = top_of(frame);
    for (int n = 0; n < (IS_FULL ? 60 : 8); n++) {
        step_frames(world, 24);
        drift = worse(drift, fabs(bw_world_view_stats(world)->volume_drift));
    }
    printf("in the end: top at %.4f m\n", top_of(frame_of(world)));
    gate("wax_melted_height_over_before", top_of(frame_of(world)) / early, GATE_BELOW, IS_FULL ? 0.6 : 0.95);
    gate("wax_melting_drift", drift, GATE_BELOW, 0.01);
    bw_world_destroy(world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_slab_warms_by_the_error_function),
        cmocka_unit_test(bodies_that_touch_become_alike),
        cmocka_unit_test(a_front_of_melting_advances),
        cmocka_unit_test(the_air_takes_heat),
        cmocka_unit_test(cold_wax_holds),
        cmocka_unit_test(wax_melts_from_outside_in),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
