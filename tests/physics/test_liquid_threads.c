// The same splash with 1 and 8 workers (1 and 3 under sanitizers; 1, 2, 3 and 8 at full size): identical bits
// in every frame, with tiles waking and sleeping, drops that leave, a spout and a sink, and what particles
// carry.
#include "busy_splash.h"

#ifdef FULL_SIZE
enum { FRAMES = 24 };
static const int workers[] = {1, 2, 3, 8};
static const float cell = 1.0f / 48.0f;
#elif defined(__SANITIZE_THREAD__) || defined(__SANITIZE_ADDRESS__)
enum { FRAMES = 3 };
static const int workers[] = {1, 3};
static const float cell = 1.0f / 14.0f;
#else
enum { FRAMES = 8 };
static const int workers[] = {1, 8};
static const float cell = 1.0f / 20.0f;
#endif

// A splash with a band of that width or, below 0, one that carries all that it may.
static void gate_workers(BwLiquidMethod method, float band, float tension, const char *name)
{
    BusySplash splash;
    set_busy_splash(&splash, cell, method);
    BwSceneDef *scene = &splash.scene;
    scene->liquid.seeding = BW_SEEDING_JITTERED;
    scene->liquid.narrow_band = fmaxf(band, 0.0f);
    scene->liquid.surface_tension = tension;
    scene->output.age = scene->output.source = band < 0.0f;
    for (int c = 0; c < 3 && band < 0.0f; c++) {
        splash.fills[0].color[c] = 0.2f * (float)c;
        splash.emitter.color[c] = 1.0f - 0.4f * (float)c;
    }
    if (band < 0.0f)
        splash.fills[1].temperature = 350.0f;
    gate(name, differing_frames(scene, workers, sizeof workers / sizeof *workers, FRAMES), GATE_BELOW, 0);
}

static void bits_do_not_depend_on_workers(void **state)
{
    (void)state;
    gate_workers(BW_LIQUID_APIC, 0.0f, 0.0f, "liquid_threads_differing_frames_apic");
    gate_workers(BW_LIQUID_FLIP, 0.0f, 0.0f, "liquid_threads_differing_frames_flip");
    gate_workers(BW_LIQUID_MARKERS, 0.0f, 0.0f, "liquid_threads_differing_frames_markers");
    gate_workers(BW_LIQUID_APIC, 3.0f * cell, 0.0f, "liquid_threads_differing_frames_band");
    gate_workers(BW_LIQUID_APIC, -1.0f, 0.0f, "liquid_threads_differing_frames_carrying");
    gate_workers(BW_LIQUID_APIC, 3.0f * cell, 50.0f, "liquid_threads_differing_frames_tension");
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(bits_do_not_depend_on_workers)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
