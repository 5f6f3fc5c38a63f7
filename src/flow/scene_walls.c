// Curves of the walls become plain numbers, once a step.
#include "flow/scene_walls.h"

#include "base/error.h"
#include "domain/sides.h"
#include "scene/curve.h"
#include <math.h>

// Inflows against each other count as balanced up to this share of what they bring: rounding, no more.
static const double balance = 1e-4;

// The part of a velocity along a wall that stands across an axis.
static BwVec3 along_wall(BwVec3 velocity, int axis)
{
    return bw_vec3(axis == 0 ? 0.0f : velocity.x, axis == 1 ? 0.0f : velocity.y,
                   axis == 2 ? 0.0f : velocity.z);
}

static BwResult look_up_side(const BwWallsDef *walls, int number, double time, double velocity_time,
                             BwBoxSide *side, BwError *err)
{
    const BwWallSideDef *def = &walls->side[number];
    float kind;
    BW_TRY(bw_curve_number_at(&def->kind_curve, time, (float)def->kind, &kind, err));
    BW_TRY(bw_curve_vector_at(&def->velocity, velocity_time, &side->velocity, err));
    BW_TRY(bw_curve_number_at(&def->temperature, time, NAN, &side->temperature, err));
    BW_TRY(bw_curve_number_at(&def->slip, time, walls->slip, &side->slip, err));
    side->kind = (BwWallKind)kind;
    side->part = def->part.kind != BW_SHAPE_NONE ? &def->part : NULL;
    if (side->kind == BW_WALL_CLOSED)
        side->velocity = along_wall(side->velocity, number / 2);
    return BW_OK;
}

BwResult bw_scene_walls_look_up(const BwSceneDef *scene, double time, double velocity_time,
                                BwBoxSide sides[BW_SIDE_COUNT], BwError *err)
{
    for (int n = 0; n < BW_SIDE_COUNT; n++) {
        sides[n] = bw_box_side_plain();
        sides[n].kind = scene->has_walls ? BW_WALL_CLOSED : BW_WALL_OPEN;
        if (scene->has_walls)
            BW_TRY(look_up_side(&scene->walls, n, time, velocity_time, &sides[n], err));
    }
    return BW_OK;
}

static bool has_kind(const BwDomain *domain, BwWallKind kind)
{
    for (int side = 0; side < 2 * domain->grid->dimension; side++)
        if (domain->side[side].kind == kind)
            return true;
    return false;
}

BwResult bw_scene_walls_check_balance(const BwDomain *domain, const BwVelocity *velocity, double time,
                                      BwError *err)
{
    if (has_kind(domain, BW_WALL_OPEN) || !has_kind(domain, BW_WALL_INFLOW))
        return BW_OK;
    BwInflowSum sum = bw_inflow_sum(domain, velocity);
    const char *unit = domain->grid->dimension == 3 ? "m^3/s" : "m^2/s";
    if (sum.net > balance * sum.gross && !has_kind(domain, BW_WALL_OUTFLOW))
        return bw_fail(
            err, BW_ERR_DEF,
            "walls: at t = %.4g s %.4g %s flow in and nothing lets them out; make another side, or "
            "a part of one, \"outflow\" or \"open\"",
            time, sum.net, unit);
    if (sum.net < -balance * sum.gross)
        return bw_fail(
            err, BW_ERR_DEF,
            "walls: at t = %.4g s %.4g %s are drawn out and nothing lets them in; make another side, "
            "or a part of one, \"open\"",
            time, -sum.net, unit);
    return BW_OK;
}
