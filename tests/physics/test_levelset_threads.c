// The same splash of a level-set liquid with 1, 2, 3 and 8 workers (1 and 3 under sanitizers): identical bits
// in every frame, with tiles waking and sleeping, a solid that turns, a spout, a sink and an open side.
#include "liquid_run.h"

#if defined(__SANITIZE_THREAD__) || defined(__SANITIZE_ADDRESS__)
enum { FRAMES = 2 };
static const int workers[] = {1, 3};
static const float cell = 1.0f / 12.0f;
#else
enum { FRAMES = 5 };
static const int workers[] = {1, 2, 3, 8};
static const float cell = 1.0f / 16.0f;
#endif

static void run(BwLiquidMethod method, BwSurfaceAdvection advection, int worker_count,
                uint64_t hashes[FRAMES])
{
    BwSceneDef scene = liquid_scene(3, cell, method);
    BwFillDef fills[2] = {fill_corner(0.4f, 0.6f, 1.0f), fill_of(ball(1.2f, 0.5f, 0.6f, 0.2f))};
    BwObstacleDef obstacle = solid_of(bw_box(bw_vec3(-0.2f, -0.1f, -0.2f), bw_vec3(0.2f, 0.1f, 0.2f)));
    BwEmitterDef emitter = bw_emitter_def_default();
    BwSinkDef sink = bw_sink_def_default();
    set_box(&scene, 1.7f, 1.0f, 1.0f);
    scene.walls.side[BW_RIGHT].kind = BW_WALL_OPEN;
    scene.liquid.advection = advection;
    scene.liquid.surface_tension = 5.0f;
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

static void gate_workers(BwLiquidMethod method, BwSurfaceAdvection advection, const char *name)
{
    uint64_t hashes[sizeof workers / sizeof *workers][FRAMES];
    int differing = 0;
    for (size_t n = 0; n < sizeof workers / sizeof *workers; n++)
        run(method, advection, workers[n], hashes[n]);
    for (size_t n = 1; n < sizeof workers / sizeof *workers; n++)
        for (int frame = 0; frame < FRAMES; frame++)
            differing += hashes[n][frame] != hashes[0][frame];
    gate(name, differing, GATE_BELOW, 0.0);
}

static void any_number_of_threads_does_the_same(void **state)
{
    (void)state;
    gate_workers(BW_LIQUID_PARTICLE_LEVELSET, BW_SURFACE_WENO, "levelset_threads_differing_frames_weno");
    gate_workers(BW_LIQUID_PARTICLE_LEVELSET, BW_SURFACE_MACCORMACK,
                 "levelset_threads_differing_frames_traced");
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(any_number_of_threads_does_the_same)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
