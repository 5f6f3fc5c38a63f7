// A slow stream from a tap: it thins as it falls, and does not tear.
#include "liquid_run.h"

#include <stdio.h>

static const double pi = 3.14159265358979;

// The sums of the particles over a stretch below the mouth.
typedef struct Stretch {
    double volume;  // m^3
    double speed;   // m/s, the mean
    double off;     // m^2, mean square distance from the axis along x
    double squares; // m^2/s^2, mean of v^2 - 2 g z
} Stretch;

static Stretch stretch_of(const BwFrame *frame, double x, double y, double from, double to)
{
    const BwFrameParticles *water = water_of(frame);
    const float *velocity = water_velocities(water), *volume = water_volumes(water);
    Stretch sums = {0};
    for (int64_t p = 0; p < water->count; p++) {
        double place[3], v = (double)velocity[3 * p + 1], part = (double)volume[p];
        bw_frame_particle_place(frame, water, p, place);
        double z = y - place[1];
        if (z < from || z >= to)
            continue;
        sums.volume += part;
        sums.speed -= part * v;
        sums.off += part * (place[0] - x) * (place[0] - x);
        sums.squares += part * (v * v - 2.0 * liquid_gravity * z);
    }
    sums.speed /= sums.volume;
    sums.off /= sums.volume;
    sums.squares /= sums.volume;
    return sums;
}

static void gate_tap_of(const char *what, const char *name, double value, double bound)
{
    char text[96];
    snprintf(text, sizeof text, "liquid_tap_%s_%s", what, name);
    gate(text, value, GATE_BELOW, bound);
}

// Slower than gravity makes it within its own width: the tap holds it by suction, of which Bernoulli tells
// that v^2 - 2 g z below is v0^2 less twice the suction, and the same all the way down. What tears under the
// tap falls as fast, but as wide as that is.
static void gate_tap(int dimension, float cell, float speed)
{
    char name[64];
    float x = 0.123f, y = 0.443f, radius = 0.02f, z = dimension == 3 ? 0.121f : 0.0f;
    BwSceneDef scene = liquid_scene(dimension, cell, BW_LIQUID_APIC);
    BwEmitterDef tap = bw_emitter_def_default();
    tap.shape = bw_disc(bw_vec3(x, y, z), bw_vec3(0.0f, -1.0f, 0.0f), radius);
    tap.velocity = bw_curve_vector(0.0f, -speed, 0.0f);
    set_box(&scene, 0.25f, 0.5f, 0.25f);
    scene.liquid.seeding = BW_SEEDING_JITTERED;
    scene.emitters = &tap;
    scene.emitter_count = 1;
    BwWorld *world = make_world(&scene, 2);
    double worst = 0.0, emitted = 0.0, v0 = (double)speed, head = 2.0 * liquid_gravity * 2.0 * (double)radius;
    for (int n = 0; n < 6; n++) {
        step_frames(world, 1);
        emitted += bw_world_view_stats(world)->emitted;
        worst = n >= 3 ? worse(worst, fabs(bw_world_view_stats(world)->volume_drift)) : 0.0;
    }
    double area = dimension == 3 ? pi * (double)(radius * radius) : 2.0 * (double)radius;
    Stretch upper = stretch_of(frame_of(world), (double)x, (double)y, 0.05, 0.08),
            lower = stretch_of(frame_of(world), (double)x, (double)y, 0.08, 0.14);
    double flow = lower.volume * lower.speed / 0.06;
    // Across, as continuity has it: w^2 / 12 of a sheet, r^2 / 4 of a round one.
    double width = area * v0 / lower.speed;
    double off = dimension == 3 ? width / (4.0 * pi) : width * width / 12.0;
    snprintf(name, sizeof name, "%dd_%g_cells_%g", dimension, (double)(radius / cell), v0);
    gate_tap_of("emitted", name, fabs(emitted / (area * v0 * 0.25) - 1.0), 0.01);
    gate_tap_of("drift", name, worst, 0.06);
    gate_tap_of("flow_below", name, fabs(flow / (area * v0) - 1.0), 0.15);
    gate_tap_of("off_axis_cells", name, sqrt(lower.off) / (double)cell, sqrt(off) / (double)cell + 0.25);
    gate_tap_of("suction_over_width", name, fabs(lower.squares - v0 * v0) / head, 0.5);
    gate_tap_of("bernoulli", name, fabs(lower.squares - upper.squares) / head, 0.15);
    bw_world_destroy(world);
}

static void a_slow_stream_thins_and_does_not_tear(void **state)
{
    (void)state;
    gate_tap(2, 0.005f, 0.15f);
    gate_tap(2, 0.0025f, 0.15f);
    gate_tap(2, 0.005f, 0.3f);
    gate_tap(3, 0.005f, 0.15f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(a_slow_stream_thins_and_does_not_tear)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
