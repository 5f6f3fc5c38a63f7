// What is kept, shown and told of a liquid below a height field, and what may go wrong with it.
#include "solvers/height.h"

#include "domain/measure.h"
#include "flow/state_agree.h"

#include <math.h>
#include <string.h>

void bw_height_measure(void *solver, BwStats *stats)
{
    BwHeight *height = solver;
    bw_flow_measure(&height->flow, stats);
    stats->divergence = height->divergence;
    stats->volume = bw_columns_volume(&height->columns);
    stats->particles = height->spray.count;
    stats->spray = bw_spray_count(&height->spray, false);
    stats->foam = bw_spray_count(&height->spray, true);
    stats->mass = fmax(height->given, 0.0); // all may have left but a rounding
    stats->volume_drift = stats->mass > 0.0 ? stats->volume / stats->mass - 1.0 : 0.0;
}

// Dry columns end at the ground, as frames have it; those outside show the water beside them.
static void show_columns(BwHeight *height)
{
    const BwColumns *columns = &height->columns;
    BwHeightFrame *frame = &height->frame;
    for (int64_t n = 0; n < columns->columns; n++) {
        bool is_wet = bw_column_is_there(columns, n) && bw_column_is_wet(columns, n);
        frame->heights[n] = (float)(bw_column_is_there(columns, n) ? columns->height[n] : columns->shown[n]);
        frame->depths[n] = is_wet ? (float)columns->water[n] : 0.0f;
        frame->velocities[n] =
            is_wet ? bw_columns_velocity(columns, &height->flow.velocity, n) : bw_vec3(0.0f, 0.0f, 0.0f);
    }
    frame->attributes[0] =
        (BwFrameAttribute){.name = "depth", .unit = "m", .components = 1, .values = frame->depths};
    frame->attributes[1] = (BwFrameAttribute){.name = "velocity",
                                              .unit = "m/s",
                                              .components = 3,
                                              .values = (const float *)(const void *)frame->velocities};
    frame->set = (BwFrameColumns){.name = "water",
                                  .cell_size = columns->grid->cell_size,
                                  .low = {columns->low[0], columns->low[2]},
                                  .count = {columns->count[0], columns->count[2]},
                                  .heights = frame->heights,
                                  .attributes = frame->attributes,
                                  .attribute_count = 2};
}

BwResult bw_height_frame(void *solver, const BwRecord *kept, BwFrame *frame, BwError *err)
{
    BwHeight *height = solver;
    BwFrameSource sources[BW_FRAME_FIELDS_MAX] = {{"phi", "m", &height->phi, NULL, false}};
    int count = bw_flow_frame_fields(&height->flow, sources, 1);
    count = bw_flow_frame_pressure(&height->flow, sources, count);
    BW_TRY(bw_flow_show(&height->flow, kept, sources, count, frame, err));
    show_columns(height);
    frame->columns = &height->frame.set;
    frame->column_set_count = 1;
    return bw_height_show_spray(height, frame, err);
}

int bw_height_state_fields(void *solver, BwStateField list[BW_STATE_FIELDS_MAX])
{
    BwHeight *height = solver;
    int count = 0;
    if (height->is_explicit)
        list[count++] = (BwStateField){"explicit_pressure", &height->scheme.pressure};
    return bw_flow_state_fields(&height->flow, list, count);
}

BwResult bw_height_save(void *solver, BwRecord *record, BwError *err)
{
    BwHeight *height = solver;
    BwStateField fields[BW_STATE_FIELDS_MAX];
    int count = bw_height_state_fields(height, fields);
    void *values;
    BW_TRY(bw_flow_save(&height->flow, fields, count, record, err));
    BW_TRY(bw_record_add_number(record, "last_dt", height->last_dt, err));
    BW_TRY(bw_record_add_number(record, "given_volume", height->given, err));
    BW_TRY(bw_record_add(record, "column_water", BW_RECORD_DOUBLE, height->columns.columns, 2, &values, err));
    size_t bytes = (size_t)height->columns.columns * sizeof(double);
    memcpy(values, height->columns.water, bytes);
    memcpy((char *)values + bytes, height->columns.speed, bytes);
    BW_TRY(bw_height_save_spray(height, record, err));
    return bw_liquid_sources_save(&height->sources, record, err);
}

BwResult bw_height_load(void *solver, const BwRecord *record, BwError *err)
{
    BwHeight *height = solver;
    BwStateField fields[BW_STATE_FIELDS_MAX];
    int count = bw_height_state_fields(height, fields);
    int64_t rows = height->columns.columns;
    const void *values;
    BW_TRY(bw_flow_load(&height->flow, fields, count, record, err));
    BW_TRY(bw_record_find_number(record, "last_dt", &height->last_dt, err));
    BW_TRY(bw_record_find_number(record, "given_volume", &height->given, err));
    BW_TRY(bw_record_find(record, "column_water", BW_RECORD_DOUBLE, &rows, 2, &values, err));
    size_t bytes = (size_t)rows * sizeof(double);
    memcpy(height->columns.water, values, bytes);
    memcpy(height->columns.speed, (const char *)values + bytes, bytes);
    BW_TRY(bw_height_load_spray(height, record, err));
    BW_TRY(bw_liquid_sources_load(&height->sources, record, err));
    height->divergence = 0.0;
    height->must_measure_solids = true;
    height->flow.must_measure_solids = true;
    bw_height_label(height);
    return BW_OK;
}

// A column holds nothing, or what its box has room for.
static BwResult agree_on_columns(const BwHeight *height, BwError *err)
{
    const BwColumns *columns = &height->columns;
    double most = 2.0 * columns->count[1] * (double)columns->grid->cell_size;
    for (int64_t n = 0; n < columns->columns; n++) {
        if (!(columns->water[n] >= -1e-6 * most && columns->water[n] <= most))
            return bw_fail(err, BW_ERR_FORMAT, "\"column_water\" of the state holds %g m", columns->water[n]);
        if (!isfinite(columns->speed[n]))
            return bw_fail(err, BW_ERR_FORMAT, "\"column_water\" of the state rises at %g m/s",
                           columns->speed[n]);
    }
    return BW_OK;
}

BwResult bw_height_agree(void *solver, const BwRecord *record, BwError *err)
{
    BwHeight *height = solver;
    double time;
    BW_TRY(bw_record_find_number(record, "time", &time, err));
    BW_TRY(bw_flow_agree(&height->flow, record, err));
    double last_dt = time > 0.0 ? (double)height->flow.solids_dt : 0.0;
    if ((float)height->last_dt != (float)last_dt)
        return bw_fail(err, BW_ERR_FORMAT, "\"last_dt\" of the state is %.9g s; its last step was of %.9g s",
                       height->last_dt, last_dt);
    if (!isfinite(height->given))
        return bw_fail(err, BW_ERR_FORMAT, "\"given_volume\" of the state is %g m^3", height->given);
    return agree_on_columns(height, err);
}

BwResult bw_height_check(void *solver, double dt, BwError *err)
{
    BwHeight *height = solver;
    BwStateField fields[BW_STATE_FIELDS_MAX];
    int count = bw_height_state_fields(height, fields);
    for (int64_t n = 0; n < height->columns.columns; n++)
        if (!isfinite(height->columns.water[n]))
            return bw_fail(err, BW_ERR_NUMERICS, "column %lld of the surface lost its height", (long long)n);
    return bw_flow_check(&height->flow, fields, count, dt, err);
}
