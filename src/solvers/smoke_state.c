// The state of smoke: what a step needs of the one before, kept in a record and taken back from it. Masks are
// labelled anew from the tiles and the poses; the second buffers and all scratch are written before they are
// read.
#include "solvers/smoke.h"

#include "domain/solids_record.h"
#include "grid/grid_record.h"
#include "solvers/state_agree.h"

#include <float.h>

int bw_smoke_list_fields(BwSmoke *smoke, BwSmokeField list[BW_SMOKE_FIELDS])
{
    static const char *const velocity[] = {"u", "v", "w"}, *const push[] = {"push_u", "push_v", "push_w"},
                             *const color[] = {"color_r", "color_g", "color_b"};
    int count = 0;
    list[count++] = (BwSmokeField){"density", &smoke->density};
    list[count++] = (BwSmokeField){"temperature", &smoke->temperature};
    for (int a = 0; a < smoke->grid->dimension; a++)
        list[count++] = (BwSmokeField){velocity[a], &smoke->velocity.u[a]};
    for (int c = 0; c < 3 && smoke->color.is_used; c++)
        list[count++] = (BwSmokeField){color[c], &smoke->color.field[c]};
    for (int a = 0; a < smoke->grid->dimension && smoke->has_push; a++)
        list[count++] = (BwSmokeField){push[a], &smoke->push.u[a]};
    return count;
}

BwResult bw_smoke_save(void *solver, BwRecord *record, BwError *err)
{
    BwSmoke *smoke = solver;
    BwSmokeField fields[BW_SMOKE_FIELDS];
    int count = bw_smoke_list_fields(smoke, fields);
    void *wind, *first_flow;
    BW_TRY(bw_grid_save(smoke->grid, record, err));
    for (int n = 0; n < count; n++)
        BW_TRY(bw_field_save(fields[n].field, smoke->pool, record, fields[n].name, err));
    bw_smoke_tell_pressure(smoke);
    if (smoke->has_pressure)
        BW_TRY(bw_field_save(&smoke->pressure, smoke->pool, record, "pressure", err));
    BW_TRY(bw_wide_field_save(&smoke->projection.system.x, smoke->pool, record, "pressure_guess", err));
    BW_TRY(bw_solids_save(smoke->solids.poses, smoke->scene->obstacle_count, record, err));
    BW_TRY(bw_record_add(record, "wind", BW_RECORD_FLOAT, 1, 3, &wind, err));
    memcpy(wind, &smoke->wind, sizeof smoke->wind);
    BW_TRY(bw_record_add(record, "first_flow", BW_RECORD_FLOAT, BW_SIDE_COUNT, 3, &first_flow, err));
    memcpy(first_flow, smoke->first_flow, sizeof smoke->first_flow);
    BW_TRY(bw_record_add_number(record, "max_speed", (double)smoke->max_speed, err));
    BW_TRY(bw_record_add_number(record, "walls_time", smoke->walls_time, err));
    return bw_record_add_number(record, "solids_dt", (double)smoke->solids_dt, err);
}

// The velocities along the sides at the start. Checkpoints of version 0.1 do not hold them: what comes in
// then comes from rest.
static BwResult load_first_flow(BwSmoke *smoke, const BwRecord *record, BwError *err)
{
    const void *values;
    int64_t rows = BW_SIDE_COUNT;
    memset(smoke->first_flow, 0, sizeof smoke->first_flow);
    if (!bw_record_has(record, "first_flow"))
        return BW_OK;
    BW_TRY(bw_record_find(record, "first_flow", BW_RECORD_FLOAT, &rows, 3, &values, err));
    memcpy(smoke->first_flow, values, sizeof smoke->first_flow);
    return BW_OK;
}

static BwResult load_numbers(BwSmoke *smoke, const BwRecord *record, BwError *err)
{
    const void *values;
    double time, max_speed, walls_time, solids_dt;
    int64_t rows = 1;
    BwVec3 wind;
    BW_TRY(bw_record_find(record, "wind", BW_RECORD_FLOAT, &rows, 3, &values, err));
    BW_TRY(bw_record_find_number(record, "time", &time, err));
    // The sides are looked up at the end of the last step, which is the time of the frame but for rounding.
    double rounding = 1e-9 * (1.0 + time), longest = time > 0.0 ? 1.000001 / smoke->scene->fps : 1.0;
    BW_TRY(bw_state_number(record, "walls_time", time - rounding, time + rounding, &walls_time, err));
    BW_TRY(bw_state_number(record, "solids_dt", 0.0, longest, &solids_dt, err));
    BW_TRY(bw_state_number(record, "max_speed", 0.0, (double)FLT_MAX, &max_speed, err));
    memcpy(&wind, values, sizeof wind);
    bw_smoke_set_wind(smoke, wind);
    BW_TRY(load_first_flow(smoke, record, err));
    smoke->outcome = (BwSmokeOutcome){0};
    smoke->max_speed = (float)max_speed;
    smoke->solids_dt = (float)solids_dt;
    return bw_smoke_set_walls(smoke, walls_time, err);
}

// A run that did not ask for the pressure did not keep it.
static BwResult load_pressure(BwSmoke *smoke, const BwRecord *record, BwError *err)
{
    smoke->has_pressure = smoke->scene->output.pressure && bw_record_has(record, "pressure");
    return smoke->has_pressure ? bw_field_load(&smoke->pressure, smoke->pool, record, "pressure", err)
                               : BW_OK;
}

// The wind comes first: tiles that wake hold the background that it sets.
BwResult bw_smoke_load(void *solver, const BwRecord *record, BwError *err)
{
    BwSmoke *smoke = solver;
    BwSmokeField fields[BW_SMOKE_FIELDS];
    int count = bw_smoke_list_fields(smoke, fields);
    BW_TRY(load_numbers(smoke, record, err));
    BW_TRY(bw_solids_load(smoke->solids.poses, smoke->scene->obstacle_count, record, err));
    BW_TRY(bw_grid_load(smoke->grid, record, err));
    for (int n = 0; n < count; n++)
        BW_TRY(bw_field_load(fields[n].field, smoke->pool, record, fields[n].name, err));
    BW_TRY(bw_wide_field_load(&smoke->projection.system.x, smoke->pool, record, "pressure_guess", err));
    smoke->measures.is_known = false;
    BW_TRY(load_pressure(smoke, record, err));
    smoke->domain.is_foreseen = false; // it was for a step that was broken off
    bw_smoke_label(smoke, true);
    return BW_OK;
}
