// The same splash of a level-set liquid with 1, 2, 3 and 8 workers (1 and 3 under sanitizers): identical bits
// in every frame, with tiles waking and sleeping, a solid that turns, a spout, a sink and an open side.
#include "busy_splash.h"

#if defined(__SANITIZE_THREAD__) || defined(__SANITIZE_ADDRESS__)
enum { FRAMES = 2 };
static const int workers[] = {1, 3};
static const float cell = 1.0f / 12.0f;
#else
enum { FRAMES = 5 };
static const int workers[] = {1, 2, 3, 8};
static const float cell = 1.0f / 16.0f;
#endif

static void gate_workers(BwLiquidMethod method, BwSurfaceAdvection advection, const char *name)
{
    BusySplash splash;
    set_busy_splash(&splash, cell, method);
    splash.scene.liquid.advection = advection;
    splash.scene.liquid.surface_tension = 5.0f;
    gate(name, differing_frames(&splash.scene, workers, sizeof workers / sizeof *workers, FRAMES), GATE_BELOW,
         0);
}

static void gate_jelly(const char *name)
{
    BusySplash splash;
    set_busy_splash(&splash, cell, BW_LIQUID_LEVELSET);
    splash.scene.liquid.elastic = (BwElasticDef){.modulus = 2000.0f, .yield = 0.2f, .flow = 5.0f};
    gate(name, differing_frames(&splash.scene, workers, sizeof workers / sizeof *workers, 2), GATE_BELOW, 0);
}

static void any_number_of_threads_does_the_same(void **state)
{
    (void)state;
    gate_workers(BW_LIQUID_PARTICLE_LEVELSET, BW_SURFACE_WENO, "levelset_threads_differing_frames_weno");
    gate_workers(BW_LIQUID_PARTICLE_LEVELSET, BW_SURFACE_MACCORMACK,
                 "levelset_threads_differing_frames_traced");
    gate_jelly("levelset_threads_differing_frames_jelly");
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(any_number_of_threads_does_the_same)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
