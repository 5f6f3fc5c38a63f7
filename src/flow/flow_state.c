// The state of a flow: what a step needs of the one before, kept in a record and taken back from it. Masks
// are labelled anew from the tiles and the poses; the second buffers and all scratch are written before they
// are read.
#include "domain/measure.h"
#include "domain/solids_record.h"
#include "flow/flow_parts.h"
#include "flow/state_agree.h"
#include "grid/grid_record.h"
#include "scene/curve.h"

#include <float.h>
#include <string.h>

int bw_flow_state_fields(BwFlow *flow, BwStateField *list, int count)
{
    static const char *const velocity[] = {"u", "v", "w"}, *const acceleration[] = {"push_u", "push_v",
                                                                                    "push_w"};
    for (int a = 0; a < flow->grid->dimension; a++)
        list[count++] = (BwStateField){velocity[a], &flow->velocity.u[a]};
    for (int a = 0; a < flow->grid->dimension && flow->keeps_acceleration; a++)
        list[count++] = (BwStateField){acceleration[a], &flow->acceleration.u[a]};
    if (flow->def.expands)
        list[count++] = (BwStateField){"divergence", &flow->divergence};
    return count;
}

static BwResult save_numbers(BwFlow *flow, BwRecord *record, BwError *err)
{
    void *wind, *first_flow;
    BW_TRY(bw_record_add(record, "wind", BW_RECORD_FLOAT, 1, 3, &wind, err));
    memcpy(wind, &flow->wind, sizeof flow->wind);
    BW_TRY(bw_record_add(record, "first_flow", BW_RECORD_FLOAT, BW_SIDE_COUNT, 3, &first_flow, err));
    memcpy(first_flow, flow->first_flow, sizeof flow->first_flow);
    BW_TRY(bw_record_add_number(record, "max_speed", (double)flow->max_speed, err));
    BW_TRY(bw_record_add_number(record, "walls_time", flow->walls_time, err));
    return bw_record_add_number(record, "solids_dt", (double)flow->solids_dt, err);
}

BwResult bw_flow_save(BwFlow *flow, const BwStateField *fields, int count, BwRecord *record, BwError *err)
{
    BwFrameSource pressure[1];
    BW_TRY(bw_grid_save(flow->grid, record, err));
    for (int n = 0; n < count; n++)
        BW_TRY(bw_field_save(fields[n].field, flow->pool, record, fields[n].name, err));
    if (bw_flow_frame_pressure(flow, pressure, 0) > 0)
        BW_TRY(bw_field_save(&flow->pressure, flow->pool, record, "pressure", err));
    BW_TRY(bw_wide_field_save(&flow->projection.system.x, flow->pool, record, "pressure_guess", err));
    BW_TRY(bw_solids_save(flow->solids.poses, flow->scene->obstacle_count, record, err));
    BW_TRY(bw_scene_bodies_save(&flow->bodies, record, err));
    return save_numbers(flow, record, err);
}

// The velocities along the sides at the start. Checkpoints of version 0.1 do not hold them: what comes in
// then comes from rest.
static BwResult load_first_flow(BwFlow *flow, const BwRecord *record, BwError *err)
{
    const void *values;
    int64_t rows = BW_SIDE_COUNT;
    memset(flow->first_flow, 0, sizeof flow->first_flow);
    if (!bw_record_has(record, "first_flow"))
        return BW_OK;
    BW_TRY(bw_record_find(record, "first_flow", BW_RECORD_FLOAT, &rows, 3, &values, err));
    memcpy(flow->first_flow, values, sizeof flow->first_flow);
    return BW_OK;
}

static BwResult load_numbers(BwFlow *flow, const BwRecord *record, BwError *err)
{
    const void *values;
    double time, max_speed, walls_time, solids_dt;
    int64_t rows = 1;
    BwVec3 wind;
    BW_TRY(bw_record_find(record, "wind", BW_RECORD_FLOAT, &rows, 3, &values, err));
    BW_TRY(bw_record_find_number(record, "time", &time, err));
    // The sides are looked up at the end of the last step, which is the time of the frame but for rounding.
    double rounding = 1e-9 * (1.0 + time), longest = time > 0.0 ? 1.000001 / flow->scene->fps : 1.0;
    BW_TRY(bw_state_number(record, "walls_time", time - rounding, time + rounding, &walls_time, err));
    BW_TRY(bw_state_number(record, "solids_dt", 0.0, longest, &solids_dt, err));
    BW_TRY(bw_state_number(record, "max_speed", 0.0, (double)FLT_MAX, &max_speed, err));
    memcpy(&wind, values, sizeof wind);
    bw_flow_set_wind(flow, wind);
    BW_TRY(load_first_flow(flow, record, err));
    flow->residual = 0.0;
    flow->stop = BW_STOP_CONVERGED;
    flow->max_speed = (float)max_speed;
    flow->solids_dt = (float)solids_dt;
    return bw_flow_set_walls(flow, walls_time, err);
}

// A run that did not ask for the pressure did not keep it.
static BwResult load_pressure(BwFlow *flow, const BwRecord *record, BwError *err)
{
    flow->has_pressure = bw_flow_keeps_pressure(flow) && bw_record_has(record, "pressure");
    return flow->has_pressure ? bw_field_load(&flow->pressure, flow->pool, record, "pressure", err) : BW_OK;
}

// The wind comes first: tiles that wake hold the background that it sets.
BwResult bw_flow_load(BwFlow *flow, const BwStateField *fields, int count, const BwRecord *record,
                      BwError *err)
{
    BW_TRY(load_numbers(flow, record, err));
    BW_TRY(bw_solids_load(flow->solids.poses, flow->scene->obstacle_count, record, err));
    BW_TRY(bw_scene_bodies_load(&flow->bodies, record, err));
    BW_TRY(bw_grid_load(flow->grid, record, err));
    for (int n = 0; n < count; n++)
        BW_TRY(bw_field_load(fields[n].field, flow->pool, record, fields[n].name, err));
    BW_TRY(bw_wide_field_load(&flow->projection.system.x, flow->pool, record, "pressure_guess", err));
    flow->measures.is_known = false;
    BW_TRY(load_pressure(flow, record, err));
    flow->domain.has_prediction = false; // it was for a step that was broken off
    flow->must_measure_solids = true;
    bw_flow_label(flow);
    return BW_OK;
}

static BwResult agree_on_speed(const BwFlow *flow, BwError *err)
{
    float found = bw_velocity_max(&flow->domain, &flow->velocity);
    if (found == flow->max_speed)
        return BW_OK;
    return bw_fail(err, BW_ERR_FORMAT,
                   "\"max_speed\" of the state is %.9g m/s; its velocity reaches %.9g m/s",
                   (double)flow->max_speed, (double)found);
}

// The wind of the last step is that of its beginning.
static BwResult agree_on_wind(const BwFlow *flow, double time, BwError *err)
{
    BwVec3 wanted = {0};
    if (flow->def.wind != NULL)
        BW_TRY(bw_curve_vector_at(flow->def.wind, time, &wanted, err));
    float apart = bw_length(bw_sub(wanted, flow->wind));
    if (apart <= 1e-3f * (1.0f + bw_length(wanted)))
        return BW_OK;
    return bw_fail(err, BW_ERR_FORMAT,
                   "\"wind\" of the state is (%.4g, %.4g, %.4g) m/s; the scene's was (%.4g, %.4g, %.4g) m/s",
                   (double)flow->wind.x, (double)flow->wind.y, (double)flow->wind.z, (double)wanted.x,
                   (double)wanted.y, (double)wanted.z);
}

BwResult bw_flow_agree(BwFlow *flow, const BwRecord *record, BwError *err)
{
    double time;
    BW_TRY(bw_record_find_number(record, "time", &time, err));
    if (flow->is_whole_box)
        BW_TRY(bw_state_agree_on_box(flow->scene, flow->grid, err));
    double dt = time > 0.0 ? (double)flow->solids_dt : 0.0;
    BW_TRY(bw_state_agree_on_solids(&flow->solids, time, dt, err));
    BW_TRY(agree_on_wind(flow, time > dt ? time - dt : 0.0, err));
    return flow->def.is_carried ? BW_OK : agree_on_speed(flow, err);
}
