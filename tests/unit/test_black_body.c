// The colours of black bodies against tabulated chromaticities (Planckian locus, CIE 1931), and the table
// that pictures are drawn by.
#include "gate.h"

#include "render/black_body.h"
#include "scene/fuel.h"

#include <math.h>

static void colours_are_those_of_the_locus(void **state)
{
    (void)state;
    static const double locus[][3] = {{1500.0, 0.5857, 0.3931},
                                      {2000.0, 0.5267, 0.4133},
                                      {2500.0, 0.4770, 0.4137},
                                      {2856.0, 0.4476, 0.4074},
                                      {6500.0, 0.3135, 0.3237}};
    double worst = 0.0;
    for (size_t n = 0; n < sizeof locus / sizeof *locus; n++) {
        double xyz[3];
        bw_black_body_xyz(locus[n][0], xyz);
        double sum = xyz[0] + xyz[1] + xyz[2];
        worst = fmax(worst, fmax(fabs(xyz[0] / sum - locus[n][1]), fabs(xyz[1] / sum - locus[n][2])));
    }
    gate("black_body.chromaticity", worst, GATE_BELOW, 0.005);
}

static double luminance(const BwGlowTable *table, float temperature)
{
    float light[3];
    bw_glow_at(table, temperature, light);
    return 0.2126 * (double)light[0] + 0.7152 * (double)light[1] + 0.0722 * (double)light[2];
}

// What is asked for at 1700 K, and what Planck's law makes of it at 2200 K; nothing where nothing glows, and
// nothing odd beyond the table.
static void the_table_follows_the_law(void **state)
{
    (void)state;
    BwGlowTable table;
    double usual[3], hot[3];
    float light[3];
    bw_glow_table_fill(&table, 2.0f, 6500.0f);
    bw_black_body_xyz(1700.0, usual);
    bw_black_body_xyz(2200.0, hot);
    gate("black_body.brightness", fabs(luminance(&table, 1700.0f) / 2.0 - 1.0), GATE_BELOW, 0.1);
    gate("black_body.contrast",
         fabs(luminance(&table, 2200.0f) / luminance(&table, 1700.0f) * usual[1] / hot[1] - 1.0), GATE_BELOW,
         0.05);
    bw_glow_at(&table, 293.0f, light);
    assert_true(light[0] == 0.0f && light[2] == 0.0f);
    bw_glow_at(&table, NAN, light);
    assert_true(light[0] == 0.0f);
    bw_glow_at(&table, 1e30f, light);
    assert_true(isfinite(light[0]) && light[0] > 0.0f);
}

// Light of the temperature that the eye is used to is white.
static void the_eye_adapts(void **state)
{
    (void)state;
    BwGlowTable table;
    float light[3];
    bw_glow_table_fill(&table, 1.0f, 3000.0f);
    bw_glow_at(&table, 3000.0f, light);
    gate("black_body.adapted",
         (double)(fabsf(light[0] / light[1] - 1.0f) + fabsf(light[2] / light[1] - 1.0f)), GATE_BELOW, 0.01);
}

// A front is as bright as what burns there, rho_f S: propane's at twice the speed is twice as bright, and
// hydrogen, which has no carbon, has no blue.
static void fronts_are_as_bright_as_they_burn(void **state)
{
    (void)state;
    BwFuelDef fuel = bw_scene_def_default().fire.fuel;
    assert_true(bw_fuel_front_light(&fuel) == 1.0f);
    fuel.flame_speed = 2.0f * bw_fuel_numbers(&fuel).flame_speed;
    assert_true(bw_fuel_front_light(&fuel) == 2.0f);
    fuel.density = 0.5f * bw_fuel_numbers(&fuel).density;
    assert_true(bw_fuel_front_light(&fuel) == 1.0f);
    fuel.blue = 0.25f;
    assert_true(bw_fuel_front_light(&fuel) == 0.25f);
    fuel = bw_scene_def_default().fire.fuel;
    fuel.name = BW_FUEL_HYDROGEN;
    assert_true(bw_fuel_front_light(&fuel) == 0.0f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(colours_are_those_of_the_locus),
        cmocka_unit_test(the_table_follows_the_law),
        cmocka_unit_test(the_eye_adapts),
        cmocka_unit_test(fronts_are_as_bright_as_they_burn),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
