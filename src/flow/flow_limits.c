// How long a step may be: the fastest and strongest that a flow, its walls, sources and forces are.
#include "flow/given_flow.h"
#include "flow/solid_pace.h"
#include "scene/curve.h"

#include <math.h>

static BwResult add_speed(const BwCurve *velocity, double time, float factor, float *speed, BwError *err)
{
    BwVec3 value;
    BW_TRY(bw_curve_vector_at(velocity, time, &value, err));
    *speed = fmaxf(*speed, factor * bw_length(value));
    return BW_OK;
}

static BwResult add_emitter_speed(const BwEmitterDef *emitter, double time, float *speed, BwError *err)
{
    bool is_on = bw_is_on(emitter->start, emitter->stop, time) && emitter->kind != BW_EMIT_BLOB;
    return is_on ? add_speed(&emitter->velocity, time, 1.0f, speed, err) : BW_OK;
}

// Fluid that is displaced around a pump moves up to so many times as fast as it, as measured.
static const float squeezed = 1.25f;

static BwResult add_source_speeds(const BwSceneDef *scene, double time, float *speed, BwError *err)
{
    for (int n = 0; n < scene->emitter_count; n++)
        BW_TRY(add_emitter_speed(&scene->emitters[n], time, speed, err));
    for (int n = 0; n < scene->obstacle_count; n++)
        if (scene->obstacles[n].emit != NULL)
            BW_TRY(add_emitter_speed(scene->obstacles[n].emit, time, speed, err));
    for (int n = 0; n < scene->pump_count; n++)
        if (bw_is_on(scene->pumps[n].start, scene->pumps[n].stop, time))
            BW_TRY(add_speed(&scene->pumps[n].velocity, time, squeezed, speed, err));
    for (int n = 0; n < scene->charge_count; n++)
        if (bw_charge_is_on(scene, &scene->charges[n], time))
            *speed = fmaxf(*speed, bw_charge_speed(scene, &scene->charges[n]));
    return BW_OK;
}

static BwResult add_force_limits(const BwSceneDef *scene, double time, float *acceleration, BwError *err)
{
    for (int n = 0; n < scene->force_count; n++) {
        const BwForceDef *def = &scene->forces[n];
        BwForce force;
        if (!bw_is_on(def->start, def->stop, time))
            continue;
        BW_TRY(bw_scene_force_at(def, scene, time, &force, err));
        *acceleration += bw_force_max(&force);
    }
    return BW_OK;
}

// Of sides, as they were in the last step and as they are now.
static BwResult add_side_speeds(const BwFlow *flow, double time, float *speed, BwError *err)
{
    for (int side = 0; side < BW_SIDE_COUNT && flow->scene->has_walls; side++) {
        const BwCurve *velocity = &flow->scene->walls.side[side].velocity;
        *speed = fmaxf(*speed, bw_length(flow->domain.side[side].velocity));
        if (bw_curve_is_given(velocity))
            BW_TRY(add_speed(velocity, time, 1.0f, speed, err));
    }
    return BW_OK;
}

BwResult bw_flow_add_limits(const BwFlow *flow, double time, float *speed, float *acceleration, BwError *err)
{
    BW_TRY(add_side_speeds(flow, time, speed, err));
    *speed = fmaxf(*speed, flow->max_speed);
    if (bw_flow_is_given(flow)) { // which nothing makes faster
        *acceleration = 0.0f;
        return BW_OK;
    }
    BW_TRY(add_source_speeds(flow->scene, time, speed, err));
    return add_force_limits(flow->scene, time, acceleration, err);
}

BwResult bw_flow_solids_way(const BwFlow *flow, double time, double dt, float *way, BwError *err)
{
    return bw_solids_way(&flow->solids, bw_awake_box(flow->grid), time, dt, way, err);
}

// The flow crosses at most cfl cells, at the speed that it has and that forces will add over the step; and so
// do solids, which may come from rest. No step is longer than a frame.
BwResult bw_flow_step_limit(const BwFlow *flow, double time, float speed, float acceleration, double *limit,
                            BwError *err)
{
    // In the open no step is so long that it leads past the envelope.
    float h = flow->grid->cell_size, cfl = flow->scene->cfl;
    cfl = flow->is_whole_box ? cfl : fminf(cfl, BW_FLOW_REACH_MAX / 2);
    float bound = speed + sqrtf(cfl * h * acceleration);
    double free = bound > 0.0f ? (double)(cfl * h / bound) : (double)INFINITY;
    double longest = fmin(free, 1.0 / flow->scene->fps), dt = longest;
    BW_TRY(bw_solids_shorten_step(&flow->solids, bw_awake_box(flow->grid), time, cfl * h, &dt, err));
    *limit = dt < longest ? dt : free;
    return BW_OK;
}

BwResult bw_flow_drive(BwFlow *flow, double time, BwDrive *drive, BwError *err)
{
    *drive = (BwDrive){.speed = bw_length(flow->wind),
                       .growth_rate = 2.0f * flow->def.confinement, // h |curl u| is 2 u at most
                       .is_closed = bw_flow_is_closed(flow)};
    if (bw_flow_is_given(flow))
        drive->speed = fmaxf(drive->speed, flow->max_speed);
    return bw_scene_drive(&flow->solids, flow->grid, flow->solids_dt, time, drive, err);
}
