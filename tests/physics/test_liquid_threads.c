// The same splash with 1 and 8 workers (1 and 3 under sanitizers; 1, 2, 3 and 8 at full size): identical bits
// in every frame, with tiles waking and sleeping, drops that leave, a spout and a sink, what particles carry,
// and of what is thick, melts and is elastic.
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

// What holds the splash together.
static void make_paste(BusySplash *splash)
{
    splash->scene.liquid.viscosity = bw_curve_number(0.02f);
    splash->scene.liquid.yield_stress = 20.0f;
    splash->scene.liquid.shear_exponent = 0.7f;
    splash->fills[1].viscosity = 0.5f;
}

static void make_wax(BusySplash *splash)
{
    splash->scene.liquid.viscosity = bw_curve_number(1e-3f);
    splash->scene.liquid.melt = (BwMeltDef){.solid = 290.0f,
                                            .liquid = 320.0f,
                                            .viscosity_solid = 1.0f,
                                            .conductivity = 1e-3f,
                                            .latent_heat = 1e4f,
                                            .heat_transfer = 50.0f};
    splash->obstacle.temperature = bw_curve_number(400.0f);
}

static void make_jelly(BusySplash *splash)
{
    splash->scene.liquid.elastic = (BwElasticDef){.modulus = 2000.0f, .yield = 0.2f, .flow = 5.0f};
}

static void gate_holding(void (*hold)(BusySplash *), const char *name)
{
    BusySplash splash;
    set_busy_splash(&splash, cell, BW_LIQUID_APIC);
    hold(&splash);
    gate(name, differing_frames(&splash.scene, workers, sizeof workers / sizeof *workers, FRAMES / 2 + 1),
         GATE_BELOW, 0);
}

static void bits_of_what_holds_do_not(void **state)
{
    (void)state;
    gate_holding(make_paste, "liquid_threads_differing_frames_paste");
    gate_holding(make_wax, "liquid_threads_differing_frames_wax");
    gate_holding(make_jelly, "liquid_threads_differing_frames_jelly");
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
    const struct CMUnitTest tests[] = {cmocka_unit_test(bits_do_not_depend_on_workers),
                                       cmocka_unit_test(bits_of_what_holds_do_not)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
