// What smoke does not do yet. Each list shrinks as src/solvers/smoke.c grows.
#include "scene/runnable.h"

#include "base/error.h"
#include <billow/shape.h>

#include <math.h>

static BwResult check_emitter(const BwEmitterDef *emitter, const char *owner, BwError *err)
{
    const BwGap gaps[] = {
        {"kind \"blob\"", emitter->kind == BW_EMIT_BLOB},
        {"kind \"spout\"", emitter->kind == BW_EMIT_SPOUT},
        {"fuel", bw_curve_is_given(&emitter->fuel)},
        {"flow", bw_curve_is_given(&emitter->flow)},
        {"spread", emitter->spread != 0.0f},
        {NULL, false},
    };
    return bw_refuse_gaps(owner, "run", gaps, err);
}

// A flat emitter drives the air through itself: there must be air behind it, or half of a cell of it.
static BwResult check_flat_on_wall(const BwSceneDef *def, const BwEmitterDef *emitter, BwError *err)
{
    if (!def->has_walls || !bw_shape_is_flat(&emitter->shape))
        return BW_OK;
    BwBox box = bw_shape_bounds(&emitter->shape);
    const BwWallsDef *walls = &def->walls;
    const float low[3] = {box.low.x, box.low.y, box.low.z}, high[3] = {box.high.x, box.high.y, box.high.z};
    const float ends[2][3] = {{walls->min.x, walls->min.y, walls->min.z},
                              {walls->max.x, walls->max.y, walls->max.z}};
    for (int side = 0; side < 2 * def->dimension; side++) {
        int axis = side / 2;
        bool is_level = high[axis] - low[axis] < 0.1f * def->cell;
        bool is_on = fabsf(low[axis] - ends[side % 2][axis]) < 0.6f * def->cell;
        if (is_level && is_on && !walls->periodic[axis] && walls->side[side].kind == BW_WALL_CLOSED)
            return bw_fail(err, BW_ERR_SCENE,
                           "emitter.shape is flat and lies on %s, which lets no air through to it; move it "
                           "a cell (%g m) away",
                           bw_side_owners[side], (double)def->cell);
    }
    return BW_OK;
}

static BwResult check_parameters(const BwSceneDef *def, BwError *err)
{
    const BwGap others[] = {
        {"body", def->body_count > 0},
        {"surface_control", def->surface_control_count > 0},
        {"surface_pressure", def->surface_pressure_count > 0},
        {NULL, false},
    };
    return bw_refuse_gaps(NULL, "run", others, err);
}

// Smoke that is awake only where sources are has no cells for functions of space to fill.
static BwResult check_initial(const BwSceneDef *def, BwError *err)
{
    bool is_full_box = def->has_walls && def->smoke.envelope == 0.0f;
    const BwGap gaps[] = {
        {"density", !is_full_box && def->initial.density.function != NULL},
        {"temperature", !is_full_box && def->initial.temperature.function != NULL},
        {NULL, false},
    };
    return bw_refuse_gaps("initial", def->has_walls ? "run with smoke.envelope" : "run without walls", gaps,
                          err);
}

BwResult bw_check_smoke_runnable(const BwSceneDef *def, BwError *err)
{
    BW_TRY(check_parameters(def, err));
    BW_TRY(check_initial(def, err));
    for (int n = 0; n < def->emitter_count; n++) {
        BW_TRY(check_emitter(&def->emitters[n], "emitter", err));
        BW_TRY(check_flat_on_wall(def, &def->emitters[n], err));
    }
    for (int n = 0; n < def->obstacle_count; n++)
        if (def->obstacles[n].emit != NULL)
            BW_TRY(check_emitter(def->obstacles[n].emit, "obstacle.emit", err));
    return BW_OK;
}
