// The boundary of a flow: sides of the box, solids, the air outside, and what they make of cells and faces.
#include "domain/sides.h"
#include "flow/flow_parts.h"
#include "flow/scene_walls.h"
#include "scene/curve.h"

static void set_background(BwFlow *flow, BwVec3 air)
{
    const float values[3] = {air.x, air.y, air.z};
    for (int a = 0; a < 3; a++) {
        BwField *fields[] = {&flow->velocity.u[a], &flow->next_velocity.u[a], &flow->reflected.u[a]};
        for (int n = 0; n < 3; n++)
            if (fields[n]->store.grid != NULL)
                bw_field_set_background(fields[n], values[a]);
    }
}

void bw_flow_set_wind(BwFlow *flow, BwVec3 wind)
{
    flow->wind = wind;
    if (!flow->scene->has_walls)
        set_background(flow, wind);
}

BwResult bw_flow_look_up_wind(BwFlow *flow, double time, BwError *err)
{
    BwVec3 wind = {0};
    if (flow->def.wind != NULL)
        BW_TRY(bw_curve_vector_at(flow->def.wind, time, &wind, err));
    bw_flow_set_wind(flow, wind);
    return BW_OK;
}

void bw_flow_set_air_outside(BwFlow *flow)
{
    bool has_wind = bw_length(flow->wind) > 0.0f;
    for (int n = 0; n < BW_SIDE_COUNT && flow->scene->has_walls; n++) {
        BwBoxSide *side = &flow->domain.side[n];
        bool is_given = bw_curve_is_given(&flow->scene->walls.side[n].velocity);
        if (bw_side_lets_air_in(side) && !is_given)
            side->velocity = has_wind ? flow->wind : flow->first_flow[n];
    }
}

BwResult bw_flow_set_walls(BwFlow *flow, double time, BwError *err)
{
    bool is_leapfrog = flow->scene->fluid == BW_FLUID_LIQUID;
    double velocity_time = is_leapfrog ? time - 0.5 * (double)flow->solids_dt : time;
    flow->walls_time = time;
    BW_TRY(bw_scene_walls_look_up(flow->scene, time, velocity_time, flow->domain.side, err));
    bw_flow_set_air_outside(flow);
    bw_domain_set_far_walls(&flow->domain);
    return BW_OK;
}

// What stands still is not measured again, unless tiles have woken.
BwResult bw_flow_move_solids(BwFlow *flow, double time, double dt, BwError *err)
{
    bool did_move = bw_scene_solids_have_moved(&flow->solids);
    BW_TRY(bw_scene_solids_move(&flow->solids, time, dt, err));
    bool has_woken = !flow->is_whole_box && flow->plan.wake_count > 0;
    flow->solids_dt = (float)dt;
    flow->must_measure_solids = did_move || has_woken || bw_scene_solids_have_moved(&flow->solids);
    if (bw_scene_solids_have_moved(&flow->solids))
        bw_domain_predict_solids(&flow->domain, flow->solids.poses, flow->scene->obstacle_count);
    return BW_OK;
}

// Speeds that were measured for the last step are measured again when the solids come to rest.
BwResult bw_flow_aim_solids(BwFlow *flow, double time, double dt, BwError *err)
{
    bool did_move = bw_scene_solids_have_moved(&flow->solids);
    BW_TRY(bw_scene_solids_look_ahead(&flow->solids, time, dt, err));
    flow->solids_dt = (float)dt;
    flow->must_measure_solids =
        did_move || flow->plan.wake_count > 0 || bw_scene_solids_have_moved(&flow->solids);
    return BW_OK;
}

BwResult bw_flow_land_solids(BwFlow *flow, double time, double dt, BwError *err)
{
    BW_TRY(bw_scene_solids_move(&flow->solids, time, dt, err));
    flow->must_measure_solids = flow->plan.wake_count > 0 || bw_scene_solids_have_moved(&flow->solids);
    return BW_OK;
}

void bw_flow_label(BwFlow *flow)
{
    const BwSolidPose *solids = flow->solids.poses;
    int count = flow->scene->obstacle_count;
    if (!flow->must_measure_solids) {
        bw_domain_label_sides(&flow->domain);
        return;
    }
    if (count > 0)
        bw_solid_faces_measure(&flow->solid_faces, &flow->domain, solids, count, flow->solids_dt);
    bw_domain_label(&flow->domain, solids, count);
}

void bw_flow_set_wall_velocity(BwFlow *flow)
{
    bw_domain_set_wall_velocity(&flow->domain, &flow->velocity, flow->solids.poses,
                                flow->scene->obstacle_count, flow->solids_dt);
}

void bw_flow_extend_into_solids(BwFlow *flow)
{
    if (flow->scene->obstacle_count == 0)
        return;
    bw_extend_into_solids(&flow->solid_flow, &flow->domain, &flow->velocity, &flow->next_velocity,
                          flow->solids.poses, flow->scene->obstacle_count, flow->solids_dt);
}

bool bw_flow_is_closed(const BwFlow *flow)
{
    const BwDomain *domain = &flow->domain;
    for (int side = 0; side < 2 * flow->grid->dimension; side++)
        if (domain->side[side].kind != BW_WALL_CLOSED && flow->grid->period[side / 2] == 0)
            return false;
    return flow->is_whole_box;
}

void bw_flow_move_bodies(BwFlow *flow, const BwField *phi, const BwMask *liquid, BwVec3 gravity, double dt)
{
    double scale = bw_projection_pressure_scale(&flow->projection, flow->pressure_dt);
    BwBodyWater water = {.domain = &flow->domain,
                         .velocity = &flow->velocity,
                         .phi = phi,
                         .liquid = liquid,
                         .pressure = &flow->projection.system.impulse,
                         .pressure_scale = flow->def.density * scale,
                         .gravity = gravity};
    bw_scene_bodies_move(&flow->bodies, &water, &flow->solids, dt);
}
