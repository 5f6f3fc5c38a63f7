// Pressure on the surface of a tank two wavelengths long. An impulse B cos(C x) with
// B = a rho sqrt(g / (C tanh(C D))) makes a wave of amplitude a (Foster and Metaxas 1996, section 7.2, in
// units that do not depend on dt); p0 cos(C x) cos(omega t) drives one of
// p0 / (rho g) / |1 - omega^2 / omega0^2|.
#include "liquid_run.h"

#include <stdio.h>
#include <string.h>

enum { CELLS = 48, LONG = 2 * CELLS, SAMPLES_MAX = 400 }; // a wavelength, the tank

static const double wave_number = 6.283185307179586, depth = 0.5, density = 1000.0;

static double free_omega(void)
{
    return sqrt(liquid_gravity * wave_number * tanh(wave_number * depth));
}

// A tank to be pressed on.
static BwSceneDef tank_scene(BwLiquidMethod method, const BwFillDef *fill,
                             const BwSurfacePressureDef *pressure)
{
    BwSceneDef scene = liquid_scene(2, 1.0f / CELLS, method);
    set_box(&scene, 2.0f, 1.0f, 0.0f);
    scene.fps = 40.0 * free_omega() / wave_number;
    scene.fills = fill;
    scene.fill_count = 1;
    scene.surface_pressures = pressure;
    scene.surface_pressure_count = 1;
    return scene;
}

// How much of cos(k x) the surface holds, in cells.
static double wave_part(const BwFrame *frame)
{
    double sum = 0.0;
    for (int x = 0; x < LONG; x++)
        sum += surface_height(frame, x, 0, CELLS) * cos(wave_number * (x + 0.5) / CELLS);
    return 2.0 * sum / LONG;
}

// The length of the wave, in cells: the way from where it first crosses its mean to where it does so again in
// that direction.
static double wave_length(const BwFrame *frame)
{
    double height[LONG], mean = 0.0, crossing[3] = {NAN, NAN, NAN};
    int found = 0;
    for (int x = 0; x < LONG; x++) {
        height[x] = surface_height(frame, x, 0, CELLS);
        mean += height[x] / LONG;
    }
    for (int x = 0; x + 1 < LONG && found < 3; x++)
        if ((height[x] > mean) != (height[x + 1] > mean))
            crossing[found++] = x + (height[x] - mean) / (height[x] - height[x + 1]);
    return crossing[2] - crossing[0];
}

static double impulse_of(double amplitude)
{
    return amplitude * density * sqrt(liquid_gravity / (wave_number * tanh(wave_number * depth)));
}

static void gate_impulse(BwLiquidMethod method, double seconds)
{
    char name[96];
    double amplitude = 1.5, highest = 0.0, length = 0.0; // cells
    BwFillDef fill = fill_corner(2.0f, (float)depth, 1.0f);
    BwSurfacePressureDef pressure = bw_surface_pressure_def_default();
    pressure.pressure = bw_curve_number((float)(impulse_of(amplitude / CELLS) / seconds));
    pressure.wavelength = 1.0f;
    pressure.start = 0.03;
    pressure.stop = 0.03 + seconds;
    BwSceneDef scene = tank_scene(method, &fill, &pressure);
    BwWorld *world = make_world(&scene, 1);
    for (int n = 0; n < 50; n++) {
        step_frames(world, 1);
        double part = fabs(wave_part(frame_of(world)));
        if (part > highest)
            length = wave_length(frame_of(world));
        highest = fmax(highest, part);
    }
    bw_world_destroy(world);
    snprintf(name, sizeof name, "surface_pressure_impulse_%s_%g_s", method_name(method), seconds);
    gate(name, fabs(highest / amplitude - 1.0), GATE_BELOW, 0.05);
    snprintf(name, sizeof name, "surface_pressure_length_cells_%s_%g_s", method_name(method), seconds);
    gate(name, fabs(length - CELLS), GATE_BELOW, 1.0);
}

// However long the steps are that it falls into.
static void an_impulse_makes_the_wave_it_asks_for(void **state)
{
    (void)state;
    gate_impulse(BW_LIQUID_APIC, 0.002);
    gate_impulse(BW_LIQUID_APIC, 0.05);
    gate_impulse(BW_LIQUID_LEVELSET, 0.002);
}

typedef struct Forcing {
    double p0, omega; // Pa, 1/s
} Forcing;

static BwResult forcing_at(void *user, BwVec3 point, double time, float value[4], BwError *err)
{
    (void)err;
    const Forcing *forcing = user;
    value[0] = (float)(forcing->p0 * cos(wave_number * (double)point.x) * cos(forcing->omega * time));
    return BW_OK;
}

// The amplitude at one of two frequencies, by least squares of both.
static double amplitude_at(const double *values, int count, double dt, double omega, double other)
{
    double matrix[4][5] = {{0}};
    for (int n = 0; n < count; n++) {
        double t = n * dt,
               base[5] = {cos(omega * t), sin(omega * t), cos(other * t), sin(other * t), values[n]};
        for (int i = 0; i < 4; i++)
            for (int j = 0; j < 5; j++)
                matrix[i][j] += base[i] * base[j];
    }
    for (int i = 0; i < 4; i++)
        for (int r = 0; r < 4; r++) {
            double factor = matrix[r][i] / matrix[i][i];
            for (int j = i; j < 5 && r != i; j++)
                matrix[r][j] -= factor * matrix[i][j];
        }
    return hypot(matrix[0][4] / matrix[0][0], matrix[1][4] / matrix[1][1]);
}

static void gate_forcing(BwLiquidMethod method, double ratio)
{
    char name[96];
    static double part[SAMPLES_MAX];
    double wanted = 0.75, gain = 1.0 / fabs(1.0 - ratio * ratio); // cells
    Forcing forcing = {wanted / CELLS * density * liquid_gravity / gain, ratio * free_omega()};
    BwFillDef fill = fill_corner(2.0f, (float)depth, 1.0f);
    BwSurfacePressureDef pressure = bw_surface_pressure_def_default();
    pressure.pressure = bw_curve_place_function(forcing_at, &forcing);
    BwSceneDef scene = tank_scene(method, &fill, &pressure);
    BwWorld *world = make_world(&scene, 1);
    int count = 0;
    for (; count < 40 * 4; count++) {
        part[count] = wave_part(frame_of(world));
        step_frames(world, 1);
    }
    bw_world_destroy(world);
    double found = amplitude_at(part, count, 1.0 / scene.fps, forcing.omega, free_omega());
    snprintf(name, sizeof name, "surface_pressure_forced_%s_%g", method_name(method), ratio);
    gate(name, fabs(found / wanted - 1.0), GATE_BELOW, 0.05);
}

static void steady_forcing_drives_the_wave_of_theory(void **state)
{
    (void)state;
    gate_forcing(BW_LIQUID_APIC, 0.5);
    gate_forcing(BW_LIQUID_LEVELSET, 1.5);
}

// An even pressure is that of other weather.
static void an_even_pressure_moves_nothing(void **state)
{
    (void)state;
    BwFillDef fill = fill_corner(2.0f, (float)depth, 1.0f);
    BwSurfacePressureDef pressure = bw_surface_pressure_def_default();
    double energy[2];
    for (int n = 0; n < 2; n++) {
        pressure.pressure = bw_curve_number(n == 0 ? 0.0f : 2000.0f);
        BwSceneDef scene = tank_scene(BW_LIQUID_LEVELSET, &fill, &pressure);
        BwWorld *world = make_world(&scene, 1);
        step_frames(world, 3);
        energy[n] = bw_world_view_stats(world)->kinetic_energy;
        bw_world_destroy(world);
    }
    gate("surface_pressure_even_energy", energy[1] - energy[0], GATE_BELOW, 1e-6);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(an_impulse_makes_the_wave_it_asks_for),
                                       cmocka_unit_test(steady_forcing_drives_the_wave_of_theory),
                                       cmocka_unit_test(an_even_pressure_moves_nothing)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
