// What the stable box does not do: it knows no weight and no heat, and its walls stand still and are smooth.
#include "scene/runnable.h"

#include "base/error.h"

#include <math.h>

static BwResult refuse(const char *owner, const BwGap *gaps, BwError *err)
{
    return bw_refuse_gaps(owner, "run with fluid \"stable\"", gaps, err);
}

// Without gravity is how the box is anyway, and the default is nobody's wish.
static bool is_heavy(const BwCurve *gravity)
{
    if (gravity->kind != BW_CURVE_CONSTANT)
        return true;
    BwSceneDef plain = bw_scene_def_default();
    bool is_default = true, is_none = true;
    for (int a = 0; a < 3; a++) {
        is_default &= gravity->value[a] == plain.gravity.value[a];
        is_none &= gravity->value[a] == 0.0f;
    }
    return !is_default && !is_none;
}

// Any step is stable, so none is cut; the box has solvers of its own, in `stable`.
static BwResult check_settings(const BwSceneDef *def, BwError *err)
{
    BwSceneDef plain = bw_scene_def_default();
    const BwGap scene[] = {
        {"cfl", def->cfl != plain.cfl}, {"gravity", is_heavy(&def->gravity)}, {NULL, false}};
    const BwGap solver[] = {
        {"pressure", def->solver.pressure != plain.solver.pressure},
        {"tolerance", def->solver.tolerance != plain.solver.tolerance},
        {"divergence_max", def->solver.divergence_max != plain.solver.divergence_max},
        {"iterations_max", def->solver.iterations_max != plain.solver.iterations_max},
        {NULL, false},
    };
    const BwGap others[] = {
        {"body", def->body_count > 0},
        {"surface_control", def->surface_control_count > 0},
        {"surface_pressure", def->surface_pressure_count > 0},
        {"initial.temperature", def->initial.temperature.function != NULL},
        {NULL, false},
    };
    BW_TRY(refuse("scene", scene, err));
    BW_TRY(refuse("solver", solver, err));
    return refuse(NULL, others, err);
}

static BwResult check_walls(const BwSceneDef *def, BwError *err)
{
    const BwWallsDef *walls = &def->walls;
    if (!def->has_walls)
        return bw_fail(err, BW_ERR_SCENE,
                       "fluid \"stable\" lives in a box; the scene needs walls { min, max }");
    for (int n = 0; n < BW_SIDE_COUNT; n++) {
        const BwWallSideDef *side = &walls->side[n];
        const BwGap gaps[] = {
            {"kind over time", bw_curve_is_given(&side->kind_curve)},
            {"velocity", side->kind != BW_WALL_INFLOW && bw_curve_is_given(&side->velocity)},
            {"temperature", bw_curve_is_given(&side->temperature)},
            {"slip", bw_asks_to_stick(&side->slip)},
            {NULL, false},
        };
        BW_TRY(refuse(bw_side_owners[n], gaps, err));
    }
    const BwGap gaps[] = {{"slip", walls->slip != 1.0f}, {NULL, false}};
    return refuse("walls", gaps, err);
}

static BwResult check_emitter(const BwEmitterDef *emitter, BwError *err)
{
    const BwGap gaps[] = {
        {"kind \"blob\"", emitter->kind == BW_EMIT_BLOB},
        {"kind \"spout\"", emitter->kind == BW_EMIT_SPOUT},
        {"temperature", bw_curve_is_given(&emitter->temperature)},
        {"fuel", bw_curve_is_given(&emitter->fuel)},
        {"flow", bw_curve_is_given(&emitter->flow)},
        {"spread", emitter->spread != 0.0f},
        {"color", bw_asks_for_color(emitter->color)},
        {NULL, false},
    };
    return refuse("emitter", gaps, err);
}

static BwResult check_fill(const BwFillDef *fill, BwError *err)
{
    const BwGap gaps[] = {
        {"temperature", !isnan(fill->temperature)}, {"color", bw_asks_for_color(fill->color)}, {NULL, false}};
    return refuse("fill", gaps, err);
}

static BwResult check_obstacle(const BwObstacleDef *obstacle, BwError *err)
{
    const BwGap gaps[] = {
        {"temperature", bw_curve_is_given(&obstacle->temperature)},
        {"slip", bw_asks_to_stick(&obstacle->slip)},
        {"emit", obstacle->emit != NULL},
        {NULL, false},
    };
    return refuse("obstacle", gaps, err);
}

static BwResult check_output(const BwOutputDef *output, BwError *err)
{
    const BwGap gaps[] = {{"pressure", output->pressure}, {NULL, false}};
    return refuse("output", gaps, err);
}

BwResult bw_check_stable_runnable(const BwSceneDef *def, BwError *err)
{
    BW_TRY(check_settings(def, err));
    BW_TRY(check_walls(def, err));
    BW_TRY(check_output(&def->output, err));
    for (int n = 0; n < def->emitter_count; n++)
        BW_TRY(check_emitter(&def->emitters[n], err));
    for (int n = 0; n < def->fill_count; n++)
        BW_TRY(check_fill(&def->fills[n], err));
    for (int n = 0; n < def->obstacle_count; n++)
        BW_TRY(check_obstacle(&def->obstacles[n], err));
    return BW_OK;
}
