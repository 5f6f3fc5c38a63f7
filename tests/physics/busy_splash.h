// A splash with all that makes threads meet: tiles that wake and sleep, drops that leave, a solid that turns,
// a spout and a sink.
#pragma once

#include "liquid_run.h"

#include <stdint.h>

// The scene, and what it borrows.
typedef struct BusySplash {
    BwSceneDef scene;
    BwFillDef fills[2];
    BwObstacleDef obstacle;
    BwEmitterDef emitter;
    BwSinkDef sink;
} BusySplash;

static inline void set_busy_splash(BusySplash *splash, float cell, BwLiquidMethod method)
{
    BwSceneDef *scene = &splash->scene;
    *scene = liquid_scene(3, cell, method);
    set_box(scene, 1.7f, 1.0f, 1.0f);
    scene->walls.side[BW_RIGHT].kind = BW_WALL_OPEN;
    splash->fills[0] = fill_corner(0.4f, 0.6f, 1.0f);
    splash->fills[1] = fill_of(ball(1.2f, 0.5f, 0.6f, 0.2f));
    splash->fills[1].velocity = bw_vec3(3.0f, -1.0f, 0.5f);
    splash->obstacle = solid_of(bw_box(bw_vec3(-0.2f, -0.1f, -0.2f), bw_vec3(0.2f, 0.1f, 0.2f)));
    splash->obstacle.motion.position = bw_curve_vector(0.7f, 0.2f, 0.5f);
    splash->obstacle.motion.spin = bw_curve_vector(1.0f, 2.0f, 3.0f);
    splash->emitter = bw_emitter_def_default();
    splash->emitter.shape = bw_disc(bw_vec3(0.3f, 0.8f, 0.5f), bw_vec3(1.0f, 0.0f, 0.0f), 0.1f);
    splash->emitter.flow = bw_curve_number(0.1f);
    splash->sink = bw_sink_def_default();
    splash->sink.shape = ball(0.2f, 0.2f, 0.5f, 0.1f);
    splash->sink.flow = bw_curve_number(0.05f);
    scene->fills = splash->fills;
    scene->fill_count = 2;
    scene->obstacles = &splash->obstacle;
    scene->emitters = &splash->emitter;
    scene->sinks = &splash->sink;
    scene->obstacle_count = scene->emitter_count = scene->sink_count = 1;
}

static inline void hash_frames(const BwSceneDef *scene, int worker_count, uint64_t *hashes, int count)
{
    BwWorld *world = make_world(scene, worker_count);
    for (int n = 0; n < count; n++) {
        step_frames(world, 1);
        hashes[n] = bw_frame_hash(frame_of(world));
    }
    bw_world_destroy(world);
}

// How many frames of any number of workers are not those of the first. Frames must also differ in time.
static inline int differing_frames(const BwSceneDef *scene, const int *workers, int worker_kinds, int count)
{
    uint64_t first[64], other[64];
    int differing = 0;
    assert_true(count <= 64);
    hash_frames(scene, workers[0], first, count);
    for (int frame = 1; frame < count; frame++)
        assert_true(first[frame] != first[frame - 1]);
    for (int n = 1; n < worker_kinds; n++) {
        hash_frames(scene, workers[n], other, count);
        for (int frame = 0; frame < count; frame++)
            differing += first[frame] != other[frame];
    }
    return differing;
}
