// Known flows, run from the scripts of scenes/physics (docs/physics.md has their pictures).
//
// Shear layer u = U tanh(y / delta): its fastest growing wave grows by 0.1897 U / delta (Michalke 1964).
// Rolls between plates at Ra 5000 and Pr 0.71: a Nusselt number of 2.116 (Clever and Busse 1974).
// Sphere at Re 100: a steady wake 0.87 diameters long (Taneda 1956), a drag coefficient of 1.09 (Johnson and
// Patel 1999).
#include "run.h"

typedef struct Run {
    BwScene *scene;
    BwWorld *world;
} Run;

static Run start_run(const char *path, const BwSetting *settings, int setting_count, int workers)
{
    Run run;
    BwError err = {0};
    BwSceneLoad load = {.settings = settings, .setting_count = setting_count};
    if (bw_scene_load(&run.scene, path, &load, &err) != BW_OK)
        fail_msg("%s", err.message);
    run.world = make_world(bw_scene_view_def(run.scene), workers);
    return run;
}

static void end_run(Run run)
{
    bw_world_destroy(run.world);
    bw_scene_destroy(run.scene);
}

// Amplitude of the first wave along x in v, root mean square over the height: from the two Fourier sums of
// every row.
static double wave_amplitude(const BwFrame *frame, const BwSceneDef *scene)
{
    const double pi = 3.14159265358979;
    const BwFrameField *v = bw_frame_field(frame, "v");
    int count = (int)lround((double)scene->walls.max.x / (double)scene->cell);
    int low = (int)lround((double)scene->walls.min.y / (double)scene->cell);
    double energy = 0.0;
    for (int j = low; j < -low; j++) {
        double cosine = 0.0, sine = 0.0;
        for (int i = 0; i < count; i++) {
            double value = (double)frame_value(frame, v, i, j, 0), angle = 2.0 * pi * (i + 0.5) / count;
            cosine += value * cos(angle);
            sine += value * sin(angle);
        }
        energy += cosine * cosine + sine * sine;
    }
    return 2.0 / count * sqrt(energy / (-2 * low));
}

// The slope of log amplitude over time by least squares, in U / delta, over the frames that lie between
// the two times (in delta / U): the wave has found its shape by then, and is still small.
static double kelvin_helmholtz_growth(const char *resolution)
{
    const double delta_time = 0.02 / 0.1, from = 8.0, to = 16.0;
    const BwSetting settings[] = {
        {"resolution", resolution}, {"waves", "1"}, {"amplitude", "1e-3"}, {"reynolds", "1e5"}};
    Run run = start_run("scenes/physics/kelvin_helmholtz.lua", settings, 4, 2);
    double n = 0.0, t_sum = 0.0, y_sum = 0.0, tt_sum = 0.0, ty_sum = 0.0, last = 0.0;
    for (double t = 0.0; t < to;) {
        step_frames(run.world, 1);
        const BwFrame *frame = frame_of(run.world);
        t = frame->time / delta_time;
        last = wave_amplitude(frame, bw_scene_view_def(run.scene)) / 0.1;
        double y = log(last), counts = t > from ? 1.0 : 0.0;
        n += counts;
        t_sum += counts * t;
        y_sum += counts * y;
        tt_sum += counts * t * t;
        ty_sum += counts * t * y;
    }
    end_run(run);
    double growth = (n * ty_sum - t_sum * y_sum) / (n * tt_sum - t_sum * t_sum);
    printf("%s cells a delta: growth %.4f U / delta, amplitude at the end %.4f U\n", resolution, growth,
           last);
    assert_true(last < 0.05);
    return growth;
}

static void layer_rolls_up_at_the_known_rate(void **state)
{
    (void)state;
    const double known = 0.1897;
#ifdef FULL_SIZE
    double growth = kelvin_helmholtz_growth("9");
    gate("kelvin_helmholtz_growth_error_9", fabs(growth / known - 1.0), GATE_BELOW, 0.03);
#else
    double growth = kelvin_helmholtz_growth("4.5");
    gate("kelvin_helmholtz_growth_error_4.5", fabs(growth / known - 1.0), GATE_BELOW, 0.08);
#endif
}

// Heat that passes between the plates by what gas at rest would conduct, once the rolls are steady. Both
// plates are asked, so that heat which is still on its way shows.
static double nusselt_number(const char *resolution)
{
    const BwSetting settings[] = {{"resolution", resolution}, {"width", "2"}};
    Run run = start_run("scenes/physics/plates.lua", settings, 2, 2);
    step_frames(run.world, 600);
    const BwSceneDef *scene = bw_scene_view_def(run.scene);
    const BwStats *stats = bw_world_view_stats(run.world);
    double conducted = BW_AIR_DENSITY * BW_AIR_HEAT_CAPACITY * (double)scene->smoke.conductivity * 40.0 *
                       (double)(scene->walls.max.x - scene->walls.min.x);
    double bottom = stats->heat_flux[BW_BOTTOM] / conducted, top = -stats->heat_flux[BW_TOP] / conducted;
    printf("%s cells from plate to plate: Nusselt number %.4f below, %.4f above\n", resolution, bottom, top);
    end_run(run);
    assert_true(fabs(bottom - top) < 1e-3);
    return bottom;
}

static void rolls_pass_on_the_known_heat(void **state)
{
    (void)state;
    const double known = 2.116;
#ifdef FULL_SIZE
    gate("rolls_nusselt_error_32", fabs(nusselt_number("32") / known - 1.0), GATE_BELOW, 0.01);
#else
    gate("rolls_nusselt_error_16", fabs(nusselt_number("16") / known - 1.0), GATE_BELOW, 0.03);
#endif
}

#ifdef FULL_SIZE
// Where the speed along the axis of the sphere turns from backwards to forwards, in diameters from its rear.
static double wake_length(const BwFrame *frame, int cells)
{
    const BwFrameField *u = bw_frame_field(frame, "u");
    double before = 0.0;
    for (int i = cells / 2 + 1; i < 4 * cells; i++) {
        double speed = 0.0;
        for (int n = 0; n < 4; n++) // the axis runs along edges of cells
            speed += 0.25 * (double)frame_value(frame, u, i, -(n & 1), -(n >> 1));
        if (before < 0.0 && speed >= 0.0)
            return (i - speed / (speed - before)) / cells - 0.5;
        before = speed;
    }
    return 0.0;
}

static double sphere_drag(BwWorld *world)
{
    const double pi = 3.14159265358979, wind = 0.5, diameter = 0.1;
    const BwObstacleStats *told = bw_world_view_stats(world)->obstacles;
    return (told->pressure_force[0] + told->viscous_force[0]) /
           (0.5 * BW_AIR_DENSITY * wind * wind * pi / 4.0 * diameter * diameter);
}

static void sphere_has_the_known_wake(void **state)
{
    (void)state;
    enum { CELLS = 12 };
    const BwSetting settings[] = {{"resolution", "12"}, {"reynolds", "100"}, {"nudge", "0"}};
    Run run = start_run("scenes/physics/sphere_wake.lua", settings, 3, 2);
    double length = 0.0, before = 0.0;
    for (int n = 0; n < 4; n++) {
        step_frames(run.world, 24);
        before = length;
        length = wake_length(frame_of(run.world), CELLS);
        printf("%.1f diameters: length %.4f, drag %.4f\n", 5.0 * frame_of(run.world)->time, length,
               sphere_drag(run.world));
    }
    gate("sphere_wake_change", fabs(length - before), GATE_BELOW, 0.01);
    gate("sphere_wake_length_error", fabs(length - 0.87), GATE_BELOW, 0.05);
    // Too high: walls six diameters apart, and a layer on the sphere that is one cell thick.
    gate("sphere_drag_error", fabs(sphere_drag(run.world) / 1.09 - 1.0), GATE_BELOW, 0.12);
    end_run(run);
}
#endif

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(layer_rolls_up_at_the_known_rate),
        cmocka_unit_test(rolls_pass_on_the_known_heat),
#ifdef FULL_SIZE
        cmocka_unit_test(sphere_has_the_known_wake),
#endif
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
