// Warm plumes over a floor, at any resolution, frame rate and kind of air around them: what tests and
// benchmarks of sparse smoke compare. They rise for two seconds.
#pragma once

#include "base/clock.h"
#include "meter.h"
#include <billow/billow.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef enum PlumeSource {
    PLUME_BALL,         // that of `billow bench smoke`: warm, of radius 0.25 m, over the middle of the floor
    PLUME_VENT,         // hot, of radius 0.125 m, blowing; its top is flat, with an edge
    PLUME_VISCOUS_VENT, // into thick air that conducts well, 0.004 m^2/s each
    PLUME_NARROW_VENT,  // half as wide
} PlumeSource;

typedef enum PlumeAir {
    PLUME_WHOLE_BOX,  // every cell of a box 2 m high, open but for its floor, is awake
    PLUME_NEAR_SMOKE, // the same box, awake only near the smoke
    PLUME_UNBOUNDED,  // no box
} PlumeAir;

typedef struct PlumeDef {
    int cells; // along the height of 2 m
    float fps;
    PlumeAir air;
    PlumeSource source;
} PlumeDef;

typedef struct PlumeResult {
    double height;  // m over the floor: 99 of 100 parts of the smoke are below
    double fill;    // share of the box around the awake tiles that is awake, at the end
    double seconds; // of stepping
    double bytes;   // held at most
} PlumeResult;

static inline BwSceneDef plume_scene(const PlumeDef *def, const BwEmitterDef *emitter)
{
    BwSceneDef scene = bw_scene_def_default();
    scene.fluid = BW_FLUID_SMOKE;
    scene.cell = 2.0f / (float)def->cells;
    scene.fps = def->fps;
    scene.emitters = emitter;
    scene.emitter_count = 1;
    scene.has_walls = def->air != PLUME_UNBOUNDED;
    scene.walls = bw_walls_def_default();
    float half = def->source == PLUME_BALL ? 1.0f : 0.5f;
    scene.walls.min = bw_vec3(-half, 0.0f, -half);
    scene.walls.max = bw_vec3(half, 2.0f, half);
    for (int side = 0; side < BW_SIDE_COUNT; side++)
        scene.walls.side[side].kind = side == BW_BOTTOM ? BW_WALL_CLOSED : BW_WALL_OPEN;
    // Air at most 4 cm from the smoke is solved for.
    scene.smoke.envelope = def->air == PLUME_WHOLE_BOX ? 0.0f : 0.04f;
    if (def->source == PLUME_VISCOUS_VENT)
        scene.smoke.viscosity = scene.smoke.conductivity = 0.004f;
    return scene;
}

static inline BwEmitterDef plume_emitter(PlumeSource source)
{
    BwEmitterDef emitter = bw_emitter_def_default();
    emitter.density = bw_curve_number(1.0f);
    if (source == PLUME_BALL) {
        emitter.shape = (BwShape){.kind = BW_SHAPE_SPHERE, .a = bw_vec3(0.0f, 0.45f, 0.0f), .radius = 0.25f};
        emitter.temperature = bw_curve_number(320.0f);
        return emitter;
    }
    emitter.shape = (BwShape){.kind = BW_SHAPE_CYLINDER,
                              .a = bw_vec3(0.0f, 0.0f, 0.0f),
                              .b = bw_vec3(0.0f, 0.125f, 0.0f),
                              .radius = source == PLUME_NARROW_VENT ? 0.06f : 0.125f};
    emitter.temperature = bw_curve_number(380.0f);
    emitter.velocity = bw_curve_vector(0.0f, 0.4f, 0.0f);
    return emitter;
}

// Adds the smoke of each layer of cells over the floor up.
static inline void plume_add_up(const BwFrame *frame, double *by_height, int layers)
{
    const BwFrameField *density = bw_frame_field(frame, "density");
    for (int32_t n = 0; n < frame->tile_count; n++)
        for (int c = 0; c < 512; c++) {
            int y = 8 * frame->tiles[n].y + (c >> 3 & 7);
            if (y >= 0 && y < layers && (frame->live[n][c >> 6] >> (c & 63) & 1) != 0)
                by_height[y] += (double)density->values[(size_t)n * 512 + (size_t)c];
        }
}

static inline double plume_height(const BwFrame *frame)
{
    enum { LAYERS = 4096 };
    static double by_height[LAYERS];
    memset(by_height, 0, sizeof by_height);
    plume_add_up(frame, by_height, LAYERS);
    double total = 0.0, below = 0.0;
    for (int y = 0; y < LAYERS; y++)
        total += by_height[y];
    for (int y = 0; y < LAYERS; y++) {
        if (below + by_height[y] >= 0.99 * total) // the part of the layer that is needed
            return (double)frame->cell_size * (y + (0.99 * total - below) / by_height[y]);
        below += by_height[y];
    }
    return 0.0;
}

static inline double plume_fill(const BwFrame *frame)
{
    int32_t low[3] = {INT32_MAX, INT32_MAX, INT32_MAX}, high[3] = {INT32_MIN, INT32_MIN, INT32_MIN};
    for (int32_t n = 0; n < frame->tile_count; n++) {
        const int32_t at[3] = {frame->tiles[n].x, frame->tiles[n].y, frame->tiles[n].z};
        for (int a = 0; a < 3; a++) {
            low[a] = at[a] < low[a] ? at[a] : low[a];
            high[a] = at[a] >= high[a] ? at[a] + 1 : high[a];
        }
    }
    return (double)frame->tile_count /
           ((double)(high[0] - low[0]) * (double)(high[1] - low[1]) * (double)(high[2] - low[2]));
}

// Runs two seconds of the plume; false, with the reason, when that fails.
static inline bool run_plume(const PlumeDef *def, PlumeResult *result, BwError *err)
{
    Meter meter = {0};
    BwEmitterDef emitter = plume_emitter(def->source);
    BwSceneDef scene = plume_scene(def, &emitter);
    BwWorldDef world_def = bw_world_def_default();
    world_def.scene = &scene;
    world_def.allocator = metered(&meter);
    BwWorld *world;
    if (bw_world_create(&world, &world_def, err) != BW_OK)
        return false;
    double began = bw_clock_seconds();
    bool is_well = true;
    for (int n = 0; n < (int)(2.0f * def->fps) && is_well; n++)
        is_well = bw_world_step_frame(world, NULL, err) == BW_OK;
    result->seconds = bw_clock_seconds() - began;
    result->bytes = (double)meter.peak;
    const BwFrame *frame = is_well ? bw_world_view_frame(world, err) : NULL;
    if (frame != NULL) {
        result->height = plume_height(frame);
        result->fill = plume_fill(frame);
    }
    bw_world_destroy(world);
    return frame != NULL;
}
