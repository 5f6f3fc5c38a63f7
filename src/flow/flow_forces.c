// What drives a flow, and what drains it at the scale of the grid.
#include "flow/flow.h"
#include "operate/field_math.h"
#include "scene/curve.h"

BwResult bw_flow_look_up_forces(BwFlow *flow, int kinds, double time, int *found, BwError *err)
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
    *found = count;
    return BW_OK;
}

BwResult bw_flow_add_forces(BwFlow *flow, int kinds, double time, double dt, BwError *err)
{
    int count;
    BW_TRY(bw_flow_look_up_forces(flow, kinds, time, &count, err));
    bw_add_forces(&flow->domain, flow->domain.flow, &flow->velocity, flow->forces, count, (float)dt);
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
