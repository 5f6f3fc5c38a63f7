// The step of a liquid carried by particles in a flow that the scene gives: only particles move.
#include "solvers/liquid.h"

#include "flow/given_flow.h"
#include "flow/stage_clock.h"
#include "operate/field_math.h"

// The given velocity of the middle of the step, also where it is faster than before and leads further.
static BwResult take_given_flow(BwLiquid *liquid, double time, double dt, int *reach, BwError *err)
{
    int further;
    BW_TRY(bw_given_flow_find(&liquid->flow, time + 0.5 * dt, err));
    BW_TRY(bw_liquid_reach(&liquid->sources, time, dt, &further, err));
    if (further <= *reach)
        return BW_OK;
    *reach = further;
    BW_TRY(bw_liquid_prepare(liquid, further, time, dt, err));
    return bw_given_flow_find(&liquid->flow, time + 0.5 * dt, err);
}

BwResult bw_liquid_given_step(BwLiquid *liquid, double time, double dt, BwStats *stats, BwError *err)
{
    BwFlow *flow = &liquid->flow;
    BwStageClock clock = bw_stage_clock(stats, flow->pool);
    BwLiquidForces forces = {.time = time, .dt = dt};
    int reach;
    bw_stage(&clock, "tiles");
    bw_flow_begin_measures(flow, time, dt, stats);
    BW_TRY(bw_liquid_reach(&liquid->sources, time, dt, &reach, err));
    BW_TRY(bw_liquid_resample(liquid, err));
    BW_TRY(bw_liquid_prepare(liquid, reach, time, dt, err));
    BW_TRY(take_given_flow(liquid, time, dt, &reach, err));
    BW_TRY(bw_obey_stop(liquid->stop, err));
    liquid->last_dt = dt;
    bw_stage(&clock, "spacing");
    if (bw_liquid_corrects_spacing(liquid)) { // the flow's own divergence is its own affair
        bw_velocity_clear(&flow->domain, &flow->next_velocity);
        BW_TRY(bw_liquid_find_shift(liquid, &flow->next_velocity, dt, stats, err));
    }
    bw_velocity_copy(&flow->domain, &flow->velocity, &liquid->midway);
    if (liquid->has_before)
        bw_velocity_copy(&flow->domain, &flow->velocity, &liquid->before);
    bw_stage(&clock, "particles");
    BW_TRY(bw_liquid_move_particles(liquid, &forces, reach, err));
    bw_stage(&clock, "sort");
    BW_TRY(bw_liquid_sort_particles(liquid, &liquid->midway, reach, time, dt, stats, err));
    flow->max_speed = bw_liquid_max_speed(liquid);
    BW_TRY(bw_liquid_reach(&liquid->sources, time + dt, dt, &reach, err));
    bw_stage(&clock, "surface");
    BW_TRY(bw_liquid_renew(liquid, reach, true, err));
    bw_stage(&clock, NULL);
    return BW_OK;
}
