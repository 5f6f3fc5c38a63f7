// One step a frame, whatever would be crossed in it: Courant numbers of 20 and more, by the speed that a fall
// over the box gives, stay bounded and keep the volume.
#include "liquid_run.h"

#include <stdio.h>
#include <string.h>

#ifdef FULL_SIZE
enum { CELLS_2D = 128, CELLS_3D = 64, FRAMES = 300 };
#else
enum { CELLS_2D = 96, CELLS_3D = 24, FRAMES = 120 };
#endif

static void gate_long_steps(int dimension, BwLiquidMethod method, double fps)
{
    char name[96];
    int n = dimension == 3 ? CELLS_3D : CELLS_2D;
    BwSceneDef scene = liquid_scene(dimension, 1.0f / (float)n, method);
    BwFillDef fill = fill_corner(0.4f, 0.7f, 1.0f);
    double courant = sqrt(2.0 * liquid_gravity) * n / fps, speed = 0.0, drift = 0.0;
    set_box(&scene, 1.0f, 1.0f, 1.0f);
    scene.liquid.seeding = BW_SEEDING_JITTERED;
    scene.steps = 1;
    scene.fps = fps;
    scene.fills = &fill;
    scene.fill_count = 1;
    BwWorld *world = make_world(&scene, 1);
    for (int frame = 0; frame < FRAMES; frame++) {
        step_frames(world, 1);
        const BwStats *stats = bw_world_view_stats(world);
        speed = fmax(speed, (double)stats->max_speed);
        drift += frame >= FRAMES - 24 ? stats->volume_drift / 24.0 : 0.0;
    }
    printf("%dd %s at %g frames a second: Courant number %.3g\n", dimension, method_name(method), fps,
           courant);
    snprintf(name, sizeof name, "liquid_long_steps_courant_%dd_%s_%.0f", dimension, method_name(method), fps);
    gate(name, courant, GATE_ABOVE, dimension == 3 ? 5.0 : 20.0);
    snprintf(name, sizeof name, "liquid_long_steps_speed_%dd_%s_%.0f", dimension, method_name(method), fps);
    gate(name, speed, GATE_BELOW, 12.0); // free fall over the box ends at 4.4
    snprintf(name, sizeof name, "liquid_long_steps_drift_%dd_%s_%.0f", dimension, method_name(method), fps);
    gate_wanted(name, fabs(drift), 0.02, 0.02);
    bw_world_destroy(world);
}

static void long_steps_stay_bounded(void **state)
{
    (void)state;
    gate_long_steps(2, BW_LIQUID_APIC, 8.0);
    if (!IS_FULL)
        return;
    gate_long_steps(2, BW_LIQUID_APIC, 20.0);
    gate_long_steps(2, BW_LIQUID_FLIP, 20.0);
    gate_long_steps(2, BW_LIQUID_APIC, 4.0);
    gate_long_steps(2, BW_LIQUID_APIC, 2.0);
    gate_long_steps(3, BW_LIQUID_APIC, 10.0);
}

typedef struct Pool {
    int dimension, cells, frames;
    double fps;
} Pool;

// Of its drift over all frames: the mean of its size, and the worst loss.
static void throw_about(const Pool *pool, uint64_t seed, double *mean, double *worst)
{
    BwSceneDef scene = bw_scene_def_default();
    BwFillDef fill = fill_corner(0.4f, 0.6f, 1.0f);
    scene.fluid = BW_FLUID_LIQUID;
    scene.dimension = pool->dimension;
    scene.cell = 1.0f / (float)pool->cells;
    set_box(&scene, 1.0f, 1.0f, 1.0f);
    scene.steps = 1;
    scene.fps = pool->fps;
    scene.seed = seed;
    scene.fills = &fill;
    scene.fill_count = 1;
    BwWorld *world = make_world(&scene, 1);
    *mean = *worst = 0.0;
    for (int frame = 0; frame < pool->frames; frame++) {
        step_frames(world, 1);
        double drift = bw_world_view_stats(world)->volume_drift;
        *worst = fmax(*worst, -drift);
        *mean += fabs(drift) / pool->frames;
    }
    bw_world_destroy(world);
}

// Steps as long as this throw particles onto one another again and again; those on the same place must part.
// The worst of hundreds of moments is a matter of chance, .03 to .07 by the seed: its mean over some counts.
static void hundreds_of_long_steps_lose_no_water(void **state)
{
    (void)state;
    const Pool pools[] = {{2, 24, 300, 4.0}, {2, 24, 150, 2.0}, {2, 32, 300, 4.0}, {3, 16, 60, 4.0}};
    enum { seeds = 4 };
    for (size_t n = 0; n < sizeof pools / sizeof *pools; n += IS_FULL ? 1 : 3) {
        double worst = 0.0, mean = 0.0;
        char name[96];
        for (uint64_t seed = 1; seed <= seeds; seed++) {
            double own_worst, own_mean;
            throw_about(&pools[n], seed, &own_mean, &own_worst);
            worst += own_worst / seeds;
            mean += own_mean / seeds;
        }
        snprintf(name, sizeof name, "liquid_many_long_steps_%dd_%d_cells_%.0f_a_second", pools[n].dimension,
                 pools[n].cells, pools[n].fps);
        gate_wanted(name, mean, 0.02, 0.02);
        strcat(name, "_worst");
        gate_wanted(name, worst, 0.06, 0.02);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(long_steps_stay_bounded),
                                       cmocka_unit_test(hundreds_of_long_steps_lose_no_water)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
