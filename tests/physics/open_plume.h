// A warm plume in a box with open sides, as test_open_sides and test_open_plumes let it rise.
#pragma once

#include "run.h"

#include <stdio.h>

typedef enum Opening { TOP, SIDES, ALL, OUTFLOW_TOP, OUTFLOW_ALL, UNBOUNDED, CLOSED } Opening;
static const char *const opening_names[] = {"top",         "sides",     "all",   "outflow_top",
                                            "outflow_all", "unbounded", "closed"};

static inline BwWallKind kind_of(Opening opening, int side)
{
    bool is_upright = side != BW_TOP && side != BW_BOTTOM;
    switch (opening) {
    case TOP:
        return side == BW_TOP ? BW_WALL_OPEN : BW_WALL_CLOSED;
    case SIDES:
        return is_upright ? BW_WALL_OPEN : BW_WALL_CLOSED;
    case ALL:
        return BW_WALL_OPEN;
    case OUTFLOW_TOP:
        return side == BW_TOP ? BW_WALL_OUTFLOW : BW_WALL_CLOSED;
    case OUTFLOW_ALL:
        return BW_WALL_OUTFLOW;
    default:
        return BW_WALL_CLOSED;
    }
}

typedef struct Plume {
    BwSceneDef scene;
    BwEmitterDef emitter;
} Plume;

// The plume of `billow new`, without its obstacle, in a box whose floor is at 0 and whose axis is at 0.5.
static inline void plume_create(Plume *plume, int dimension, int cells, Opening opening, float width,
                                float height)
{
    plume->scene = smoke_scene(dimension, 1.0f / (float)cells);
    set_box(&plume->scene, 1.0f, height, 1.0f);
    plume->scene.has_walls = opening != UNBOUNDED;
    plume->scene.walls.min.x = 0.5f - 0.5f * width;
    plume->scene.walls.max.x = 0.5f + 0.5f * width;
    plume->scene.walls.min.z = dimension == 3 ? plume->scene.walls.min.x : 0.0f;
    plume->scene.walls.max.z = dimension == 3 ? plume->scene.walls.max.x : 0.0f;
    for (int side = 0; side < 2 * dimension; side++)
        plume->scene.walls.side[side].kind = kind_of(opening, side);
    plume->emitter = bw_emitter_def_default();
    plume->emitter.shape = ball(0.5f, 0.15f, dimension == 3 ? 0.5f : 0.0f, 0.1f);
    plume->emitter.density = bw_curve_number(1.0f);
    plume->emitter.temperature = bw_curve_number(400.0f);
    plume->emitter.velocity = bw_curve_vector(0.0f, 0.5f, 0.0f);
    plume->scene.emitters = &plume->emitter;
    plume->scene.emitter_count = 1;
}

static inline double fastest_of(const BwSceneDef *scene, int frames)
{
    BwWorld *world = make_world(scene, 2);
    double fastest = 0.0;
    for (int n = 0; n < frames; n++) {
        step_frames(world, 1);
        fastest = fmax(fastest, bw_world_view_stats(world)->max_speed);
    }
    bw_world_destroy(world);
    return fastest;
}
