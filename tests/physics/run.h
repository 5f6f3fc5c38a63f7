// Small scenes and worlds for tests, made through the public API.
#pragma once

#include "gate.h"
#include <billow/billow.h>

#include <math.h>
#include <string.h>

static inline BwSceneDef smoke_scene(int dimension, float cell)
{
    BwSceneDef scene = bw_scene_def_default();
    scene.fluid = BW_FLUID_SMOKE;
    scene.dimension = dimension;
    scene.cell = cell;
    scene.frames = 100;
    return scene;
}

static inline void set_box(BwSceneDef *scene, float x, float y, float z)
{
    scene->has_walls = true;
    scene->walls = bw_walls_def_default();
    scene->walls.min = bw_vec3(0.0f, 0.0f, 0.0f);
    scene->walls.max = bw_vec3(x, y, scene->dimension == 3 ? z : 0.0f);
}

static inline BwShape ball(float x, float y, float z, float radius)
{
    return (BwShape){.kind = BW_SHAPE_SPHERE, .a = bw_vec3(x, y, z), .radius = radius};
}

static inline BwWorld *make_world(const BwSceneDef *scene, int workers)
{
    BwWorld *world;
    BwError err = {0};
    BwWorldDef def = bw_world_def_default();
    def.scene = scene;
    def.worker_count = workers;
    if (bw_world_create(&world, &def, &err) != BW_OK)
        fail_msg("%s", err.message);
    return world;
}

static inline void step_frames(BwWorld *world, int count)
{
    BwError err = {0};
    for (int n = 0; n < count; n++)
        if (bw_world_step_frame(world, NULL, &err) != BW_OK)
            fail_msg("%s", err.message);
}

static inline const BwFrame *frame_of(BwWorld *world)
{
    BwError err = {0};
    const BwFrame *frame = bw_world_view_frame(world, &err);
    if (frame == NULL)
        fail_msg("%s", err.message);
    return frame;
}

// A cell's value in a frame, by its global cell; the background where there is no tile.
static inline float frame_value(const BwFrame *frame, const BwFrameField *field, int x, int y, int z)
{
    BwTileCoord coord = {x >> 3, y >> 3, frame->layers == 1 ? 0 : z >> 3};
    int32_t tile = bw_frame_find_tile(frame, coord);
    int index = (x & 7) + 8 * (y & 7) + (frame->layers == 1 ? 0 : 64 * (z & 7));
    return tile < 0 ? field->background
                    : field->values[(size_t)tile * 64 * (size_t)frame->layers + (size_t)index];
}
