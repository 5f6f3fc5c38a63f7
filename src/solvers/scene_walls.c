// Curves of the walls become plain numbers, once a step.
#include "solvers/scene_walls.h"

#include "solvers/scene_sources.h"
#include <math.h>

// The part of a velocity along a wall that stands across an axis.
static BwVec3 along_wall(BwVec3 velocity, int axis)
{
    return bw_vec3(axis == 0 ? 0.0f : velocity.x, axis == 1 ? 0.0f : velocity.y,
                   axis == 2 ? 0.0f : velocity.z);
}

static BwResult look_up_side(const BwWallsDef *walls, int number, double time, BwBoxSide *side, BwError *err)
{
    const BwWallSideDef *def = &walls->side[number];
    float kind;
    BW_TRY(bw_curve_number_at(&def->kind_curve, time, (float)def->kind, &kind, err));
    BW_TRY(bw_curve_vector_at(&def->velocity, time, &side->velocity, err));
    BW_TRY(bw_curve_number_at(&def->temperature, time, NAN, &side->temperature, err));
    BW_TRY(bw_curve_number_at(&def->slip, time, walls->slip, &side->slip, err));
    side->kind = (BwWallKind)kind;
    side->part = def->part.kind != BW_SHAPE_NONE ? &def->part : NULL;
    if (side->kind == BW_WALL_CLOSED)
        side->velocity = along_wall(side->velocity, number / 2);
    return BW_OK;
}

BwResult bw_scene_walls_look_up(const BwSceneDef *scene, double time, BwBoxSide sides[BW_SIDE_COUNT],
                                BwError *err)
{
    for (int n = 0; n < BW_SIDE_COUNT; n++) {
        sides[n] = bw_box_side_plain();
        sides[n].kind = scene->has_walls ? BW_WALL_CLOSED : BW_WALL_OPEN;
        if (scene->has_walls)
            BW_TRY(look_up_side(&scene->walls, n, time, &sides[n], err));
    }
    return BW_OK;
}
