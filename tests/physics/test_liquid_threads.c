// The same splash with 1 and 8 workers (1 and 3 under sanitizers; 1, 2, 3 and 8 at full size): identical bits
// in every frame, with tiles waking and sleeping, drops that leave, a spout and a sink, and what particles
// carry.
#include "liquid_run.h"

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
static void run(BwLiquidMethod method, float band, float tension, int worker_count, uint64_t hashes[FRAMES])
{
    BwSceneDef scene = liquid_scene(3, cell, method);
    BwFillDef fills[2] = {fill_corner(0.4f, 0.6f, 1.0f), fill_of(ball(1.2f, 0.5f, 0.6f, 0.2f))};
    BwObstacleDef obstacle = solid_of(bw_box(bw_vec3(-0.2f, -0.05f, -0.2f), bw_vec3(0.2f, 0.05f, 0.2f)));
    BwEmitterDef emitter = bw_emitter_def_default();
    BwSinkDef sink = bw_sink_def_default();
    set_box(&scene, 1.7f, 1.0f, 1.0f);
    scene.walls.side[BW_RIGHT].kind = BW_WALL_OPEN;
    scene.liquid.seeding = BW_SEEDING_JITTERED;
    scene.liquid.narrow_band = fmaxf(band, 0.0f);
    scene.liquid.surface_tension = tension;
    scene.output.age = scene.output.source = band < 0.0f;
    for (int c = 0; c < 3 && band < 0.0f; c++) {
        fills[0].color[c] = 0.2f * (float)c;
        emitter.color[c] = 1.0f - 0.4f * (float)c;
    }
    if (band < 0.0f)
        fills[1].temperature = 350.0f;
    fills[1].velocity = bw_vec3(3.0f, -1.0f, 0.5f);
    obstacle.motion.position = bw_curve_vector(0.7f, 0.2f, 0.5f);
    obstacle.motion.spin = bw_curve_vector(1.0f, 2.0f, 3.0f);
    scene.fills = fills;
    scene.fill_count = 2;
    scene.obstacles = &obstacle;
    scene.obstacle_count = 1;
    emitter.shape = bw_disc(bw_vec3(0.3f, 0.8f, 0.5f), bw_vec3(1.0f, 0.0f, 0.0f), 0.1f);
    emitter.flow = bw_curve_number(0.1f);
    scene.emitters = &emitter;
    scene.emitter_count = 1;
    sink.shape = ball(0.2f, 0.2f, 0.5f, 0.1f);
    sink.flow = bw_curve_number(0.05f);
    scene.sinks = &sink;
    scene.sink_count = 1;
    BwWorld *world = make_world(&scene, worker_count);
    for (int n = 0; n < FRAMES; n++) {
        step_frames(world, 1);
        hashes[n] = bw_frame_hash(frame_of(world));
    }
    bw_world_destroy(world);
}

static void gate_workers(BwLiquidMethod method, float band, float tension, const char *name)
{
    uint64_t first[FRAMES], other[FRAMES];
    int differences = 0;
    run(method, band, tension, workers[0], first);
    for (size_t n = 1; n < sizeof workers / sizeof workers[0]; n++) {
        run(method, band, tension, workers[n], other);
        for (int frame = 0; frame < FRAMES; frame++)
            differences += first[frame] != other[frame];
    }
    gate(name, differences, GATE_BELOW, 0);
    for (int frame = 1; frame < FRAMES; frame++)
        assert_true(first[frame] != first[frame - 1]);
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
