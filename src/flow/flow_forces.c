// What drives a flow, what drains it at the scale of the grid, and the projection.
#include "domain/measure.h"
#include "flow/flow.h"
#include "flow/scene_walls.h"
#include "operate/field_math.h"
#include "scene/curve.h"

#include <math.h>

BwResult bw_flow_add_forces(BwFlow *flow, int kinds, double time, double dt, BwError *err)
{
    const BwSceneDef *scene = flow->scene;
    int count = 0;
    for (int n = 0; n < scene->force_count; n++) {
        const BwForceDef *def = &scene->forces[n];
        int kind = def->field == BW_FORCE_DRAG ? BW_FORCES_DRAG : BW_FORCES_DRIVE;
        if (!(kinds & kind) || !bw_is_on(def->start, def->stop, time))
            continue;
        BW_TRY(bw_scene_force_at(def, scene, time, &flow->forces[count++], err));
    }
    bw_add_forces(&flow->domain, &flow->velocity, flow->forces, count, (float)dt);
    return BW_OK;
}

void bw_flow_confine(BwFlow *flow, double dt)
{
    if (flow->vorticity == NULL)
        return;
    bw_confine_vorticity(flow->vorticity, &flow->domain, &flow->velocity, &flow->next_velocity,
                         flow->def.confinement, (float)dt);
    bw_velocity_swap(&flow->velocity, &flow->next_velocity);
}

void bw_flow_add_wind(BwFlow *flow, double dt)
{
    if (!flow->is_whole_box)
        bw_add_wind(&flow->domain, &flow->velocity, flow->wind, flow->def.wind_rate, (float)dt);
}

BwResult bw_flow_prescribe(BwFlow *flow, const BwSourceFields *fields, double time, BwError *err)
{
    if (flow->domain.prescribed == NULL)
        return BW_OK;
    return bw_scene_prescribe(flow->scene, fields, time, &flow->prescribed, err);
}

void bw_flow_subgrid_friction(BwFlow *flow, double dt)
{
    BwSubgridLaw law = {.factor = flow->def.subgrid, .viscosity = flow->def.viscosity, .dt = (float)dt};
    // The right side of the pressure system is written only when it is solved: until then its memory is free.
    bw_subgrid_friction(&flow->subgrid, &flow->domain, &flow->velocity, &flow->next_velocity,
                        &flow->projection.system.right, law);
    bw_velocity_swap(&flow->velocity, &flow->next_velocity);
}

static BwResult solve_pressure(BwFlow *flow, BwStats *stats, BwError *err)
{
    const BwSolverDef *def = &flow->scene->solver;
    BwPoissonOptions options = {.method = def->pressure,
                                .tolerance = (double)def->tolerance,
                                .bound = (double)def->divergence_max * (double)flow->grid->cell_size,
                                .iterations_max = def->iterations_max,
                                .relaxation = def->relaxation};
    BwPoissonReport report;
    BW_TRY(bw_project(&flow->projection, &flow->domain, &flow->velocity, &options, &report, err));
    flow->residual = report.residual;
    flow->stop = report.reason;
    stats->iterations += report.iterations;
    stats->residual = fmax(stats->residual, report.residual);
    stats->stop_reason = bw_stop_worst(stats->stop_reason, report.reason);
    return BW_OK;
}

BwResult bw_flow_project(BwFlow *flow, BwStats *stats, BwError *err)
{
    BW_TRY(solve_pressure(flow, stats, err));
    bw_flow_extend_into_solids(flow);
    return BW_OK;
}

BwResult bw_flow_project_last(BwFlow *flow, double time, double dt, BwStats *stats, BwError *err)
{
    if (flow->is_whole_box)
        BW_TRY(bw_scene_walls_check_balance(&flow->domain, &flow->velocity, time, err));
    bool is_kept = flow->keeps_acceleration && !bw_flow_reflects(flow);
    if (is_kept)
        bw_acceleration_begin(&flow->domain, &flow->acceleration, &flow->velocity);
    BW_TRY(solve_pressure(flow, stats, err));
    if (is_kept)
        bw_acceleration_end(&flow->domain, &flow->acceleration, &flow->velocity, (float)dt);
    bw_flow_extend_into_solids(flow);
    flow->max_speed = bw_velocity_max(&flow->domain, &flow->velocity);
    return BW_OK;
}
