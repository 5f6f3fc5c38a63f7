// Hydrostatic pressure: rho g d at five depths of a tank 64 cells deep.
#include "liquid_run.h"

#include <stdio.h>

#ifdef FULL_SIZE
enum { STEPS = 200, DIMENSIONS = 3 };
#else
enum { STEPS = 20, DIMENSIONS = 2 };
#endif

enum { DEPTH = 64, WIDTH = 16 };

static double worst_pressure(int dimension, BwLiquidMethod method, BwLiquidSeeding seeding, float density)
{
    static const double depths[] = {0.1, 0.25, 0.5, 0.75, 0.95}; // of the tank's
    const float h = 1.0f / DEPTH;
    BwSceneDef scene = liquid_scene(dimension, h, method);
    BwFillDef fill = fill_corner(WIDTH * h, DEPTH * h, WIDTH * h);
    double worst = 0.0;
    set_box(&scene, WIDTH * h, (DEPTH + 16) * h, WIDTH * h);
    scene.liquid.seeding = seeding;
    scene.liquid.density = density;
    scene.output.pressure = true;
    scene.steps = 1;
    scene.fps = 96.0;
    scene.fills = &fill;
    scene.fill_count = 1;
    BwWorld *world = make_world(&scene, 1);
    step_frames(world, STEPS);
    for (size_t n = 0; n < sizeof depths / sizeof *depths; n++)
        for (int x = 0; x < WIDTH; x++) {
            const double point[3] = {(x + 0.5) * (double)h, 1.0 - depths[n],
                                     dimension == 3 ? (WIDTH - x - 0.5) * (double)h : 0.0};
            float pressure;
            BwError err = {0};
            if (bw_frame_sample(frame_of(world), "pressure", point, &pressure, &err) != BW_OK)
                fail_msg("%s", err.message);
            double truth = (double)density * liquid_gravity * depths[n];
            worst = worse(worst, fabs((double)pressure / truth - 1.0));
        }
    bw_world_destroy(world);
    return worst;
}

static void pressure_grows_with_depth(void **state)
{
    (void)state;
    for (int dimension = 2; dimension <= DIMENSIONS; dimension++)
        for (int method = BW_LIQUID_APIC; method <= BW_LIQUID_FLIP; method++)
            for (int seeding = BW_SEEDING_JITTERED; seeding <= BW_SEEDING_LATTICE; seeding++) {
                char name[96];
                snprintf(name, sizeof name, "liquid_pressure_error_%dd_%s_%s", dimension,
                         method_name((BwLiquidMethod)method),
                         seeding == BW_SEEDING_LATTICE ? "lattice" : "jittered");
                gate(name,
                     worst_pressure(dimension, (BwLiquidMethod)method, (BwLiquidSeeding)seeding,
                                    seeding == BW_SEEDING_LATTICE ? 1000.0f : 790.0f),
                     GATE_BELOW, 0.01);
            }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(pressure_grows_with_depth)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
