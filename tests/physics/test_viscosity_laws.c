// Liquids whose viscosity is not one number: two layers of a film, Bingham's fluid between plates, films that
// thin and thicken when sheared, a heap that holds, and mixing.
#include "liquid_run.h"

#include <stdio.h>

// Down a slope along x, without ends, `depth` deep.
static const float depth = 0.25f, pull = 1.0f;

static BwSceneDef slope_scene(int cells_deep, float height)
{
    BwSceneDef scene = liquid_scene(2, depth / (float)cells_deep, BW_LIQUID_APIC);
    scene.fps = 4.0f;
    scene.gravity = bw_curve_vector(pull, -9.81f, 0.0f);
    set_box(&scene, 8.0f * scene.cell, height, 0.0f);
    scene.walls.periodic[0] = true;
    scene.walls.slip = 0.0f;
    return scene;
}

typedef double ProfileFn(double y);

// The largest error over the rows of cells, relative to the largest speed.
static double profile_error(const BwFrame *frame, int rows, ProfileFn *exact)
{
    const BwFrameField *u = bw_frame_field(frame, "u");
    double worst = 0.0, top = 0.0;
    for (int j = 0; j < rows; j++) {
        double y = (j + 0.5) * (double)frame->cell_size;
        worst = worse(worst, fabs((double)frame_value(frame, u, 3, j, 0) - exact(y)));
        top = fmax(top, exact(y));
    }
    return worst / top;
}

static const double thin = 0.05, thick = 0.5;

// g (H - y) = nu du/dy, the lower half thin and the upper thick.
static double two_layers(double y)
{
    double h = (double)depth, middle = 0.5 * h;
    double low = fmin(y, middle), high = fmax(y, middle);
    return (h * low - 0.5 * low * low) / thin +
           ((h * high - 0.5 * high * high) - (h * middle - 0.5 * middle * middle)) / thick;
}

static double two_layer_error(int cells_deep)
{
    BwSceneDef scene = slope_scene(cells_deep, 2.0f * depth);
    BwFillDef fills[2] = {fill_corner(1.0f, 0.5f * depth, 1.0f),
                          fill_of(bw_box(bw_vec3(0.0f, 0.5f * depth, -1.0f), bw_vec3(1.0f, depth, 1.0f)))};
    scene.liquid.viscosity = bw_curve_number((float)thin);
    fills[1].viscosity = (float)thick;
    scene.fills = fills;
    scene.fill_count = 2;
    BwWorld *world = make_world(&scene, 1);
    step_frames(world, 20);
    double error = profile_error(frame_of(world), cells_deep, two_layers);
    printf("two layers, %d cells: profile %.4f\n", cells_deep, error);
    bw_world_destroy(world);
    return error;
}

static void two_layers_slide(void **state)
{
    (void)state;
    double coarse = two_layer_error(8), fine = two_layer_error(16), finest = two_layer_error(32);
    gate("two_layer_film_profile_error_16", fine, GATE_BELOW, 0.05);
    gate("two_layer_film_order", 0.5 * log2(coarse / finest), GATE_ABOVE, 0.8);
}

// Between plates 2 R apart: a plug of half the width yield / g, and parabolas beside it.
static const double half_width = 0.25, yield = 0.1, plastic = 0.05;

static double plug_speed(void)
{
    double sheared = half_width - yield;
    return sheared * sheared / (2.0 * plastic);
}

static double bingham(double y)
{
    double away = fmax(fabs(y - half_width) - yield, 0.0);
    return plug_speed() - away * away / (2.0 * plastic);
}

// How far from the middle the speed has fallen by a part of the largest.
static double width_of_plug(const BwFrame *frame, int rows, double fall)
{
    const BwFrameField *u = bw_frame_field(frame, "u");
    double most = 0.0;
    for (int j = 0; j < rows; j++)
        most = fmax(most, (double)frame_value(frame, u, 3, j, 0));
    for (int j = rows / 2; j + 1 < rows; j++) {
        double here = (double)frame_value(frame, u, 3, j, 0),
               next = (double)frame_value(frame, u, 3, j + 1, 0);
        if (next < (1.0 - fall) * most)
            return (j + 0.5 + (here - (1.0 - fall) * most) / (here - next)) * (double)frame->cell_size -
                   half_width;
    }
    return (double)NAN;
}

static void a_plug_moves_between_plates(void **state)
{
    (void)state;
    const int rows = 32;
    const double fall = 0.01;
    BwSceneDef scene = slope_scene(rows / 2, 0.5f);
    BwFillDef fill = fill_corner(1.0f, 0.5f, 1.0f);
    scene.gravity = bw_curve_vector(pull, 0.0f, 0.0f);
    scene.liquid.viscosity = bw_curve_number((float)plastic);
    scene.liquid.yield_stress = 1000.0f * (float)yield;
    scene.fills = &fill;
    scene.fill_count = 1;
    BwWorld *world = make_world(&scene, 1);
    step_frames(world, 24);
    const BwFrame *frame = frame_of(world);
    double exact = yield + sqrt(fall) * (half_width - yield), width = width_of_plug(frame, rows, fall);
    printf("plug: %.4f m of %.4f m\n", width, exact);
    gate("bingham_plug_width_error", fabs(width / exact - 1.0), GATE_BELOW, 0.05);
    gate("bingham_profile_error", profile_error(frame, rows, bingham), GATE_BELOW, 0.05);
    bw_world_destroy(world);
}

// A film of stress nu (du/dy)^n: u = n / (n + 1) (g / nu)^(1/n) (H^(1 + 1/n) - (H - y)^(1 + 1/n)).
static double film_exponent;

static double power_film(double y)
{
    double n = film_exponent, h = (double)depth;
    return n / (n + 1.0) * pow(1.0 / thin, 1.0 / n) * (pow(h, 1.0 + 1.0 / n) - pow(h - y, 1.0 + 1.0 / n));
}

static void films_thin_and_thicken(void **state)
{
    (void)state;
    const float exponents[] = {0.5f, 1.5f};
    for (int n = 0; n < 2; n++) {
        BwSceneDef scene = slope_scene(16, 2.0f * depth);
        BwFillDef fill = fill_corner(1.0f, depth, 1.0f);
        scene.liquid.viscosity = bw_curve_number((float)thin);
        scene.liquid.shear_exponent = exponents[n];
        scene.fills = &fill;
        scene.fill_count = 1;
        film_exponent = (double)exponents[n];
        BwWorld *world = make_world(&scene, 1);
        step_frames(world, 64);
        char name[64];
        snprintf(name, sizeof name, "power_law_film_error_%g", (double)exponents[n]);
        gate(name, profile_error(frame_of(world), 16, power_film), GATE_BELOW, 0.03);
        bw_world_destroy(world);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(two_layers_slide),
        cmocka_unit_test(a_plug_moves_between_plates),
        cmocka_unit_test(films_thin_and_thicken),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
