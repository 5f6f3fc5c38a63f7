// A narrow band of particles around a core that the grid carries: the liquid is the same as with particles
// everywhere, at fewer of them, and none of it is lost where the two meet. And markers, of whose velocity the
// grid carries all.
#include "liquid_run.h"

#include <stdio.h>

#ifdef FULL_SIZE
enum { CELLS_2D = 128, CELLS_3D = 64 };
static const double seconds = 8.0;
#else
enum { CELLS_2D = 64, CELLS_3D = 32 };
static const double seconds = 2.0; // and one case of each kind, flat
#endif

static BwSceneDef dam(int dimension, const BwFillDef *fill)
{
    int cells = dimension == 3 ? CELLS_3D : CELLS_2D;
    BwSceneDef scene = liquid_scene(dimension, 1.0f / (float)cells, BW_LIQUID_APIC);
    set_box(&scene, 1.0f, 1.0f, dimension == 3 ? 0.75f : 0.0f);
    scene.liquid.seeding = BW_SEEDING_JITTERED;
    scene.fills = fill;
    scene.fill_count = 1;
    return scene;
}

// What a run has shown: its volume by the particles and the core, by the level set, and its energy over time.
enum { FRAMES_MAX = 400 };
typedef struct Course {
    double mass_change, drift, kinetic[FRAMES_MAX];
    double particles; // the fewest, of as many as there would be everywhere
    int count;
} Course;

static void watch(const BwSceneDef *scene, double length, Course *course)
{
    BwWorld *world = make_world(scene, 2);
    double mass = bw_world_view_stats(world)->mass,
           particles = mass * pow(2.0 / (double)scene->cell, scene->dimension);
    *course = (Course){.particles = 1.0, .count = (int)(length * 24.0)};
    for (int n = 0; n < course->count; n++) {
        step_frames(world, 1);
        const BwStats *stats = bw_world_view_stats(world);
        course->mass_change = worse(course->mass_change, fabs(stats->mass / mass - 1.0));
        course->particles = fmin(course->particles, (double)stats->particles / particles);
        course->kinetic[n] = stats->kinetic_energy;
        course->drift = fabs(stats->volume_drift);
    }
    bw_world_destroy(world);
}

// The largest difference of two runs' energies until the water gets to the far wall, by the largest energy:
// from then on every splash goes its own way.
enum { FRAMES_ALIKE = 8 };

static double difference_of(const Course *course, const Course *other)
{
    double most = 0.0, worst = 0.0;
    for (int n = 0; n < FRAMES_ALIKE; n++) {
        most = fmax(most, course->kinetic[n]);
        worst = worse(worst, fabs(course->kinetic[n] - other->kinetic[n]));
    }
    return worst / most;
}

// Particles that carry the same differ least; those of flip keep more of their noise, and markers nothing.
static double differs_most(BwLiquidMethod method, int dimension)
{
    return method == BW_LIQUID_APIC ? 0.01 : method == BW_LIQUID_FLIP || dimension == 2 ? 0.03 : 0.08;
}

static void gate_like_all(int dimension, BwLiquidMethod method, float band, const char *name)
{
    static Course all, course;
    char text[96];
    BwFillDef fill = fill_corner(0.6f, 0.8f, 1.0f);
    BwSceneDef scene = dam(dimension, &fill);
    watch(&scene, (FRAMES_ALIKE + 0.5) / 24.0, &all);
    scene.liquid.method = method;
    scene.liquid.narrow_band = band;
    watch(&scene, seconds, &course);
    snprintf(text, sizeof text, "liquid_%s_mass_change_%dd", name, dimension);
    gate(text, course.mass_change, GATE_BELOW, 1e-6);
    snprintf(text, sizeof text, "liquid_%s_drift_%dd", name, dimension);
    gate_wanted(text, course.drift, method == BW_LIQUID_MARKERS ? 0.02 : 0.005, 0.005); // while it sloshes
    snprintf(text, sizeof text, "liquid_%s_energy_differs_%dd", name, dimension);
    gate(text, difference_of(&all, &course), GATE_BELOW, differs_most(method, dimension));
    snprintf(text, sizeof text, "liquid_%s_particles_%dd", name, dimension);
    gate(text, course.particles, GATE_BELOW, band == 0.0f ? 1.0 : dimension == 3 ? 0.8 : 0.5);
}

static void a_narrow_band_is_like_all_particles(void **state)
{
    (void)state;
    gate_like_all(2, BW_LIQUID_APIC, NAN, "band");
    if (!IS_FULL)
        return;
    gate_like_all(2, BW_LIQUID_FLIP, NAN, "band_flip");
    gate_like_all(3, BW_LIQUID_APIC, NAN, "band");
}

static void markers_are_like_it_too(void **state)
{
    (void)state;
    gate_like_all(2, BW_LIQUID_MARKERS, 0.0f, "markers");
    if (!IS_FULL)
        return;
    gate_like_all(2, BW_LIQUID_MARKERS, NAN, "markers_band");
    gate_like_all(3, BW_LIQUID_MARKERS, 0.0f, "markers");
}

// A tank at rest that is filled by a lattice stays at rest, and holds particles at the surface alone.
static void a_core_rests(void **state)
{
    (void)state;
    BwFillDef fill = fill_corner(1.0f, 0.75f, 1.0f);
    BwSceneDef scene = dam(2, &fill);
    scene.liquid.seeding = BW_SEEDING_LATTICE;
    scene.liquid.narrow_band = NAN;
    BwWorld *world = make_world(&scene, 1);
    step_frames(world, 100);
    const BwStats *stats = bw_world_view_stats(world);
    gate("liquid_core_rests_speed", (double)stats->max_speed / sqrt(liquid_gravity * 0.75), GATE_BELOW, 1e-4);
    gate("liquid_core_rests_layers", (double)stats->particles / (4.0 * CELLS_2D), GATE_BELOW, 8.0);
    bw_world_destroy(world);
}

// A drop as wide as four bands crosses space at four cells a step: its core moves with it, and all of it
// flies on as it flew.
static void a_core_flies(void **state)
{
    (void)state;
    BwSceneDef scene = liquid_scene(2, 1.0f / CELLS_2D, BW_LIQUID_APIC);
    BwFillDef fill = fill_of(ball(0.0f, 0.0f, 0.0f, 0.4f));
    fill.velocity = bw_vec3(3.0f, 1.0f, 0.0f);
    scene.liquid.narrow_band = NAN;
    scene.liquid.seeding = BW_SEEDING_JITTERED;
    scene.gravity = bw_curve_vector(0.0f, 0.0f, 0.0f);
    scene.fills = &fill;
    scene.fill_count = 1;
    BwWorld *world = make_world(&scene, 2);
    double mass = bw_world_view_stats(world)->mass, energy = 0.5 * 1000.0 * mass * 10.0;
    step_frames(world, 24);
    const BwStats *stats = bw_world_view_stats(world);
    gate("liquid_core_flies_mass_change", fabs(stats->mass / mass - 1.0), GATE_BELOW, 1e-6);
    gate("liquid_core_flies_energy_change", fabs(stats->kinetic_energy / energy - 1.0), GATE_BELOW, 0.01);
    gate("liquid_core_flies_particles", (double)stats->particles * 0.25 / (CELLS_2D * CELLS_2D * mass),
         GATE_BELOW, 0.9);
    gate("liquid_core_flies_drift", fabs(stats->volume_drift), GATE_BELOW, 0.005);
    bw_world_destroy(world);
}

static BwResult eddy(void *user, BwVec3 point, float value[4], BwError *err)
{
    (void)user, (void)err;
    const double pi = 3.141592653589793;
    double x = pi * (double)point.x, y = pi * (double)point.y;
    value[0] = (float)(sin(x) * cos(y));
    value[1] = (float)(-cos(x) * sin(y));
    value[2] = 0.0f;
    return BW_OK;
}

static double energy_kept_by_an_eddy(float band)
{
    BwFillDef fill = fill_corner(1.0f, 1.0f, 1.0f);
    BwSceneDef scene = liquid_scene(2, 1.0f / 32.0f, BW_LIQUID_APIC);
    set_box(&scene, 1.0f, 1.0f, 0.0f);
    scene.liquid.narrow_band = band;
    scene.initial.velocity.function = eddy;
    scene.fills = &fill;
    scene.fill_count = 1;
    BwWorld *world = make_world(&scene, 1);
    double start = bw_world_view_stats(world)->kinetic_energy;
    step_frames(world, 24);
    double kept = bw_world_view_stats(world)->kinetic_energy / start;
    bw_world_destroy(world);
    return kept;
}

// A full box that turns over: the grid keeps the eddy as well as particles do.
static void a_core_keeps_eddies(void **state)
{
    (void)state;
    gate("liquid_core_eddy_lost_more", energy_kept_by_an_eddy(0.0f) - energy_kept_by_an_eddy(NAN), GATE_BELOW,
         0.02);
}

// The largest kinetic energy of a step of water that falls into its pool, in so many steps a frame.
static double largest_energy(float band, int steps)
{
    BwFillDef fills[2] = {fill_corner(1.0f, 0.9f, 1.0f), fill_corner(0.5f, 1.1f, 1.0f)};
    BwSceneDef scene = liquid_scene(2, 1.0f / 32.0f, BW_LIQUID_APIC);
    set_box(&scene, 1.0f, 1.5f, 0.0f);
    scene.liquid.narrow_band = band;
    scene.liquid.seeding = BW_SEEDING_JITTERED;
    scene.steps = steps;
    scene.fills = fills;
    scene.fill_count = 2;
    double largest = 0.0;
    BwWorld *world = make_world(&scene, 1);
    for (int n = 0; n < 12; n++) {
        step_frames(world, 1);
        largest = fmax(largest, bw_world_view_stats(world)->kinetic_energy);
    }
    bw_world_destroy(world);
    return largest;
}

// However short the steps: what comes and goes at the core's border by single particles must not drive the
// water.
static void short_steps_make_no_energy(void **state)
{
    (void)state;
    gate("liquid_core_short_steps_energy", largest_energy(NAN, 100) / largest_energy(0.0f, 100) - 1.0,
         GATE_BELOW, 0.03);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(a_narrow_band_is_like_all_particles),
                                       cmocka_unit_test(markers_are_like_it_too),
                                       cmocka_unit_test(a_core_rests),
                                       cmocka_unit_test(a_core_flies),
                                       cmocka_unit_test(a_core_keeps_eddies),
                                       cmocka_unit_test(short_steps_make_no_energy)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
