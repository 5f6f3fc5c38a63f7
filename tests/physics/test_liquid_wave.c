// A standing wave in a tank one wavelength long, two cells high: it swings at omega^2 = g k tanh(k h), and
// loses little of its energy.
#include "liquid_run.h"

#include <stdio.h>

#ifdef FULL_SIZE
enum { CELLS = 64, LAYERS = 8 };
#else
enum { CELLS = 64, LAYERS = 0 }; // 2-D alone
#endif

enum { CROSSINGS = 11, SAMPLES_MAX = 1000 };

static const double wave_number = 6.283185307179586, depth = 0.5;

static double wave_omega(void)
{
    return sqrt(liquid_gravity * wave_number * tanh(wave_number * depth));
}

// The potential flow of the wave as it passes through the flat state.
static BwResult potential_flow(void *user, BwVec3 point, float value[4], BwError *err)
{
    (void)user, (void)err;
    double amplitude = 2.0 / CELLS, speed = amplitude * wave_omega() / sinh(wave_number * depth);
    double x = wave_number * (double)point.x, y = wave_number * (double)point.y;
    value[0] = (float)(speed * cosh(y) * sin(x));
    value[1] = (float)(-speed * sinh(y) * cos(x));
    value[2] = 0.0f;
    return BW_OK;
}

// How much of cos(k x) the surface holds, in cells. Outwards of x = 0 it falls first.
static double wave_part(const BwFrame *frame)
{
    double sum = 0.0;
    for (int x = 0; x < CELLS; x++)
        sum -= surface_height(frame, x, 0, CELLS) * cos(wave_number * (x + 0.5) / CELLS);
    return 2.0 * sum / CELLS;
}

typedef struct Wave {
    double period; // s, mean of five
    double kept;   // 1, of the wave's energy after five periods
    double first;  // cells, the first crest
} Wave;

// The largest of three samples, by the parabola through them.
static double crest_of(double a, double b, double c)
{
    double bend = a - 2.0 * b + c;
    return bend == 0.0 ? b : b - 0.125 * (c - a) * (c - a) / bend;
}

static Wave look_at(const double *part, int count, double dt)
{
    Wave wave = {0};
    double crossings[CROSSINGS] = {0}, crests[CROSSINGS] = {0};
    int found = 0;
    for (int n = 1; n + 1 < count && found < CROSSINGS; n++) {
        if (fabs(part[n]) > fabs(part[n - 1]) && fabs(part[n]) >= fabs(part[n + 1]) &&
            fabs(part[n]) > crests[found])
            crests[found] = fabs(crest_of(part[n - 1], part[n], part[n + 1]));
        if ((part[n] < 0.0) != (part[n + 1] < 0.0) && n > 2)
            crossings[found++] = dt * (n + part[n] / (part[n] - part[n + 1]));
    }
    assert_int_equal(found, CROSSINGS);
    wave.period = (crossings[CROSSINGS - 1] - crossings[0]) / 5.0;
    wave.first = crests[0];
    wave.kept = crests[CROSSINGS - 1] * crests[CROSSINGS - 1] / (crests[0] * crests[0]);
    return wave;
}

static Wave run(int dimension, BwLiquidMethod method, BwLiquidSeeding seeding, float band)
{
    static double part[SAMPLES_MAX];
    BwSceneDef scene = liquid_scene(dimension, 1.0f / CELLS, method);
    BwFillDef fill = fill_corner(1.0f, (float)depth, 1.0f);
    double period = wave_number / wave_omega(), dt = period / 40.0;
    int count = 0;
    set_box(&scene, 1.0f, 1.0f, (float)LAYERS / CELLS);
    scene.liquid.seeding = seeding;
    scene.liquid.narrow_band = band;
    scene.fps = 1.0 / dt;
    scene.initial.velocity.function = potential_flow;
    scene.fills = &fill;
    scene.fill_count = 1;
    BwWorld *world = make_world(&scene, 1);
    part[count++] = 0.0;
    for (; count < 6 * 40; count++) {
        step_frames(world, 1);
        part[count] = wave_part(frame_of(world));
    }
    bw_world_destroy(world);
    return look_at(part, count, dt);
}

static void gate_wave(int dimension, BwLiquidMethod method, BwLiquidSeeding seeding, float band,
                      double lost_most)
{
    char name[96], seeds[32];
    snprintf(seeds, sizeof seeds, "%s%s", seeding == BW_SEEDING_LATTICE ? "lattice" : "jittered",
             isnan(band) ? "_band" : "");
    Wave wave = run(dimension, method, seeding, band);
    double omega = wave_number / wave.period, truth = wave_omega();
    snprintf(name, sizeof name, "liquid_wave_omega_squared_%dd_%s_%s", dimension, method_name(method), seeds);
    gate(name, fabs(omega * omega / (truth * truth) - 1.0), GATE_BELOW, 0.03);
    snprintf(name, sizeof name, "liquid_wave_first_crest_%dd_%s_%s", dimension, method_name(method), seeds);
    gate(name, fabs(wave.first / 2.0 - 1.0), GATE_BELOW, 0.1);
    snprintf(name, sizeof name, "liquid_wave_energy_lost_%dd_%s_%s", dimension, method_name(method), seeds);
    gate(name, 1.0 - wave.kept, GATE_BELOW, lost_most);
}

static void affine_particles_carry_a_wave(void **state)
{
    (void)state;
    gate_wave(2, BW_LIQUID_APIC, BW_SEEDING_LATTICE, 0.0f, 0.1);
    gate_wave(2, BW_LIQUID_APIC, BW_SEEDING_JITTERED, 0.0f, 0.1);
}

static void flip_carries_a_wave(void **state)
{
    (void)state;
    gate_wave(2, BW_LIQUID_FLIP, BW_SEEDING_LATTICE, 0.0f, 0.1);
    gate_wave(2, BW_LIQUID_FLIP, BW_SEEDING_JITTERED, 0.0f, 0.1);
}

static void so_does_the_grid_below_a_band(void **state)
{
    (void)state;
    gate_wave(2, BW_LIQUID_APIC, BW_SEEDING_JITTERED, NAN, 0.1);
    gate_wave(2, BW_LIQUID_FLIP, BW_SEEDING_JITTERED, NAN, 0.1);
    gate_wave(2, BW_LIQUID_MARKERS, BW_SEEDING_JITTERED, 0.0f, 0.1);
}

static void so_does_a_tank_in_space(void **state)
{
    (void)state;
    if (LAYERS == 0)
        return;
    gate_wave(3, BW_LIQUID_APIC, BW_SEEDING_JITTERED, 0.0f, 0.1);
    gate_wave(3, BW_LIQUID_FLIP, BW_SEEDING_JITTERED, 0.0f, 0.1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(affine_particles_carry_a_wave), cmocka_unit_test(flip_carries_a_wave),
        cmocka_unit_test(so_does_the_grid_below_a_band), cmocka_unit_test(so_does_a_tank_in_space)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
