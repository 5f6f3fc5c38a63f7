// The step of a liquid carried by markers by the explicit scheme of Foster and Metaxas 1996
// (flow/explicit_motion.h).
#include "solvers/liquid.h"

#include "flow/stage_clock.h"
#include "operate/field_math.h"

#include <math.h>

// A step that is stable by itself.
static BwResult explicit_step(void *solver, double time, double dt, BwStats *stats, BwError *err)
{
    BwLiquid *liquid = solver;
    BwFlow *flow = &liquid->flow;
    BwStageClock clock = bw_stage_clock(stats, flow->pool);
    BwLiquidForces forces = {.time = time, .dt = dt};
    BwStats spacing = {0}; // whose iterations are no sweeps
    int reach;
    bw_stage(&clock, "tiles");
    bw_flow_begin_measures(flow, time, dt, stats);
    BW_TRY(bw_liquid_find_pressure(&liquid->sources, time, dt, dt, err));
    BW_TRY(bw_liquid_reach(&liquid->sources, time, dt, &reach, err));
    BW_TRY(bw_liquid_resample(liquid, err));
    BW_TRY(bw_liquid_sources_plan(&liquid->sources, time, dt, err));
    BW_TRY(bw_liquid_prepare(liquid, reach, time, dt, err));
    BW_TRY(bw_liquid_sources_act(&liquid->sources, time, dt, err));
    BW_TRY(bw_liquid_look_up_forces(flow, dt, &forces, err));
    BW_TRY(bw_obey_stop(liquid->stop, err));
    bw_stage(&clock, "pressure");
    BW_TRY(bw_explicit_find_velocity(&liquid->scheme, &liquid->sources, &liquid->faces, &forces, stats, err));
    if (flow->measures.is_due)
        liquid->divergence = bw_full_divergence_max(&liquid->scheme.cells, &flow->domain, &flow->velocity);
    liquid->last_dt = dt;
    bw_liquid_limit_way(liquid, dt);
    bw_stage(&clock, "spacing");
    if (bw_liquid_corrects_spacing(liquid)) {
        bw_velocity_clear(&flow->domain, &flow->next_velocity);
        BW_TRY(bw_liquid_find_shift(liquid, &flow->next_velocity, dt, &spacing, err));
    }
    bw_stage(&clock, "extrapolate");
    bw_liquid_extend_velocity(liquid, reach);
    bw_velocity_copy(&flow->domain, &flow->velocity, &liquid->midway);
    bw_velocity_copy(&flow->domain, &flow->velocity, &liquid->carried);
    liquid->has_carried = true;
    bw_stage(&clock, "particles");
    BW_TRY(bw_liquid_move_particles(liquid, &forces, reach, err));
    bw_flow_move_bodies(flow, &liquid->surface.phi, &liquid->surface.liquid, forces.gravity, dt);
    bw_stage(&clock, "sort");
    BW_TRY(bw_liquid_sort_particles(liquid, &liquid->midway, reach, time, dt, stats, err));
    flow->max_speed = bw_liquid_max_speed(liquid);
    BW_TRY(bw_liquid_reach(&liquid->sources, time + dt, dt, &reach, err));
    bw_stage(&clock, "surface");
    BW_TRY(bw_liquid_renew(liquid, reach, true, err));
    bw_stage(&clock, NULL);
    return BW_OK;
}

static BwResult explicit_limit(void *solver, double time, double *limit, BwError *err)
{
    return bw_explicit_step_limit(&((BwLiquid *)solver)->sources, time, limit, err);
}

BwResult bw_liquid_explicit_step(BwLiquid *liquid, double time, double dt, BwStats *stats, BwError *err)
{
    BwPartedStep step = {&liquid->sources, liquid, explicit_limit, explicit_step};
    return bw_explicit_step_in_parts(&step, time, dt, stats, err);
}
