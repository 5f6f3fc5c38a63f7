// The same run with 1, 2, 3 and 8 workers (1 and 3 under sanitizers): identical bits in every field
// of every frame, with tiles waking and sleeping.
#include "run.h"

#include <stdio.h>

#ifdef FULL_SIZE
enum { FRAMES = 25, LEAST_TILES = 4000 };
static const int workers[] = {1, 2, 3, 8};
static const float cell = 1.0f / 64.0f;
#elif defined(__SANITIZE_THREAD__) || defined(__SANITIZE_ADDRESS__)
enum { FRAMES = 3, LEAST_TILES = 60 }; // it looks at every access, which takes long
static const int workers[] = {1, 3};
static const float cell = 1.0f / 24.0f;
#else
enum { FRAMES = 6, LEAST_TILES = 60 };
static const int workers[] = {1, 2, 3, 8};
static const float cell = 1.0f / 24.0f;
#endif

static void run(int worker_count, uint64_t hashes[FRAMES], int64_t *tiles, double *slept)
{
    BwSceneDef scene = smoke_scene(3, cell);
    scene.steps = 2;
    scene.smoke.wind = bw_curve_vector(1.5f, 0.0f, 0.3f);
    scene.smoke.viscosity = scene.smoke.conductivity = 1e-3f;
    BwEmitterDef emitters[2] = {bw_emitter_def_default(), bw_emitter_def_default()};
    emitters[0].shape = ball(0.0f, 0.0f, 0.0f, 0.4f);
    emitters[0].density = bw_curve_number(1.0f);
    emitters[0].temperature = bw_curve_number(400.0f);
    emitters[0].velocity = bw_curve_vector(0.5f, 2.0f, 0.0f);
    emitters[0].noise = (BwNoiseDef){0.8f, 0.1f, 3.0f};
    emitters[0].stop = 0.1; // then its tiles fall asleep behind it
    emitters[1] = emitters[0];
    emitters[1].shape = ball(0.9f, 0.3f, 0.5f, 0.3f);
    emitters[1].stop = 10.0;
    scene.emitters = emitters;
    scene.emitter_count = 2;
    BwObstacleDef obstacle = bw_obstacle_def_default();
    obstacle.shape = ball(0.6f, 0.8f, 0.1f, 0.2f);
    obstacle.slip = bw_curve_number(0.0f);
    obstacle.temperature = bw_curve_number(350.0f);
    scene.obstacles = &obstacle;
    scene.obstacle_count = 1;
    BwWorld *world = make_world(&scene, worker_count);
    *tiles = 0;
    *slept = 0.0;
    for (int n = 0; n < FRAMES; n++) {
        step_frames(world, 1);
        hashes[n] = bw_frame_hash(frame_of(world));
        const BwStats *stats = bw_world_view_stats(world);
        *tiles = stats->tiles > *tiles ? stats->tiles : *tiles;
        *slept += stats->removed[BW_REMOVED_SLEEP];
    }
    bw_world_destroy(world);
}

static void bits_do_not_depend_on_workers(void **state)
{
    (void)state;
    uint64_t first[FRAMES], other[FRAMES];
    int64_t tiles;
    double slept;
    run(workers[0], first, &tiles, &slept);
    gate("threads_live_tiles", (double)tiles, GATE_ABOVE, LEAST_TILES);
    int differences = 0;
    for (size_t n = 1; n < sizeof workers / sizeof workers[0]; n++) {
        run(workers[n], other, &tiles, &slept);
        for (int frame = 0; frame < FRAMES; frame++)
            differences += first[frame] != other[frame];
    }
    gate("threads_differing_frames", differences, GATE_BELOW, 0);
    for (int frame = 1; frame < FRAMES; frame++)
        assert_true(first[frame] != first[frame - 1]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(bits_do_not_depend_on_workers)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
