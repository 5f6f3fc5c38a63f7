// Projection of a flow's velocity, with the scene's choice of pressure solver.
#include "domain/measure.h"
#include "flow/flow_parts.h"
#include "flow/scene_walls.h"
#include "operate/wall_release.h"

#include <math.h>

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
    BW_TRY(bw_flow_count_expansion(flow, time, dt, stats, err));
    BW_TRY(solve_pressure(flow, stats, err));
    if (is_kept)
        bw_acceleration_end(&flow->domain, &flow->acceleration, &flow->velocity, (float)dt);
    bw_flow_extend_into_solids(flow);
    flow->max_speed = bw_velocity_max(&flow->domain, &flow->velocity);
    return BW_OK;
}

void bw_flow_relabel(BwFlow *flow)
{
    bw_domain_label_sides(&flow->domain);
    bw_projection_begin_step(&flow->projection);
}

bool bw_flow_lids_let_go(BwFlow *flow, BwVec3 fall, BwMask *released, BwMask *liquid)
{
    if (bw_lids_find_pulling(&flow->domain, &flow->projection.system.x, fall, released) == 0)
        return false;
    bw_walls_take_off(&flow->domain, released, liquid);
    bw_flow_relabel(flow);
    return true;
}

bool bw_flow_lids_take_hold(BwFlow *flow, BwVec3 fall, BwMask *released, BwMask *liquid)
{
    if (bw_walls_put_back(&flow->domain, &flow->velocity, fall, released, liquid) == 0)
        return false;
    bw_flow_relabel(flow);
    return true;
}
