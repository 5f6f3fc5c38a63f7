// What smoke does not do yet. Each list shrinks as src/solvers/smoke.c grows.
#include "scene/runnable.h"

#include "base/error.h"

static BwResult check_side(const BwWallSideDef *side, const char *name, BwError *err)
{
    const BwGap gaps[] = {
        {"kind over time", bw_curve_is_given(&side->kind_curve)},
        {"kind \"inflow\"", side->kind == BW_WALL_INFLOW},
        {"kind \"outflow\"", side->kind == BW_WALL_OUTFLOW},
        {"velocity", bw_curve_is_given(&side->velocity)},
        {"temperature", bw_curve_is_given(&side->temperature)},
        {"slip", bw_asks_to_stick(&side->slip)},
        {"part", side->part.kind != BW_SHAPE_NONE},
        {NULL, false},
    };
    return bw_refuse_gaps(name, "run", gaps, err);
}

static BwResult check_walls(const BwWallsDef *walls, BwError *err)
{
    const BwGap gaps[] = {{"slip", walls->slip != 1.0f}, {NULL, false}};
    for (int n = 0; n < BW_SIDE_COUNT; n++)
        BW_TRY(check_side(&walls->side[n], bw_side_owners[n], err));
    return bw_refuse_gaps("walls", "run", gaps, err);
}

static BwResult check_emitter(const BwEmitterDef *emitter, const char *owner, BwError *err)
{
    const BwGap gaps[] = {
        {"kind \"blob\"", emitter->kind == BW_EMIT_BLOB},
        {"kind \"spout\"", emitter->kind == BW_EMIT_SPOUT},
        {"fuel", bw_curve_is_given(&emitter->fuel)},
        {"flow", bw_curve_is_given(&emitter->flow)},
        {"spread", emitter->spread != 0.0f},
        {"color", bw_asks_for_color(emitter->color)},
        {NULL, false},
    };
    return bw_refuse_gaps(owner, "run", gaps, err);
}

static BwResult check_obstacle(const BwObstacleDef *obstacle, BwError *err)
{
    const BwGap gaps[] = {
        {"temperature", bw_curve_is_given(&obstacle->temperature)},
        {"slip", bw_asks_to_stick(&obstacle->slip)},
        {NULL, false},
    };
    BW_TRY(bw_refuse_gaps("obstacle", "run", gaps, err));
    return obstacle->emit != NULL ? check_emitter(obstacle->emit, "obstacle.emit", err) : BW_OK;
}

static BwResult check_fill(const BwFillDef *fill, BwError *err)
{
    const BwGap gaps[] = {{"color", bw_asks_for_color(fill->color)}, {NULL, false}};
    return bw_refuse_gaps("fill", "run", gaps, err);
}

static BwResult check_parameters(const BwSceneDef *def, BwError *err)
{
    const BwSmokeDef *smoke = &def->smoke;
    const BwGap own[] = {
        {"viscosity", smoke->viscosity != 0.0f},
        {"conductivity", smoke->conductivity != 0.0f},
        {"advection \"cubic\"", smoke->advection == BW_ADVECT_CUBIC},
        {"advection \"reflection\"", smoke->advection == BW_ADVECT_REFLECTION},
        {NULL, false},
    };
    const BwGap others[] = {
        {"body", def->body_count > 0},
        {"surface_control", def->surface_control_count > 0},
        {"surface_pressure", def->surface_pressure_count > 0},
        {NULL, false},
    };
    BW_TRY(bw_refuse_gaps("smoke", "run", own, err));
    return bw_refuse_gaps(NULL, "run", others, err);
}

BwResult bw_check_smoke_runnable(const BwSceneDef *def, BwError *err)
{
    BW_TRY(check_parameters(def, err));
    if (def->has_walls)
        BW_TRY(check_walls(&def->walls, err));
    for (int n = 0; n < def->emitter_count; n++)
        BW_TRY(check_emitter(&def->emitters[n], "emitter", err));
    for (int n = 0; n < def->fill_count; n++)
        BW_TRY(check_fill(&def->fills[n], err));
    for (int n = 0; n < def->obstacle_count; n++)
        BW_TRY(check_obstacle(&def->obstacles[n], err));
    return BW_OK;
}
