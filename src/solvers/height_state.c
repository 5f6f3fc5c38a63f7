// What is kept, shown and told of a liquid below a height field, and what may go wrong with it.
#include "solvers/height.h"

#include <math.h>
#include <string.h>

void bw_height_measure(void *solver, BwStats *stats)
{
    BwHeight *height = solver;
    bw_bulk_measure(&height->bulk, bw_columns_volume(&height->columns), stats);
    stats->particles = height->spray.count;
    stats->spray = bw_spray_count(&height->spray, false);
    stats->foam = bw_spray_count(&height->spray, true);
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
            is_wet ? bw_columns_velocity(columns, &height->bulk.flow.velocity, n) : bw_vec3(0.0f, 0.0f, 0.0f);
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
    BwFrameSource sources[BW_FRAME_FIELDS_MAX] = {{"phi", "m", &height->bulk.phi, NULL, false}};
    int count = bw_flow_frame_fields(&height->bulk.flow, sources, 1);
    count = bw_flow_frame_pressure(&height->bulk.flow, sources, count);
    BW_TRY(bw_flow_show(&height->bulk.flow, kept, sources, count, frame, err));
    show_columns(height);
    frame->columns = &height->frame.set;
    frame->column_set_count = 1;
    return bw_height_show_spray(height, frame, err);
}

int bw_height_state_fields(void *solver, BwStateField list[BW_STATE_FIELDS_MAX])
{
    return bw_bulk_state_fields(&((BwHeight *)solver)->bulk, list);
}

BwResult bw_height_save(void *solver, BwRecord *record, BwError *err)
{
    BwHeight *height = solver;
    void *values;
    BW_TRY(bw_bulk_save(&height->bulk, record, err));
    BW_TRY(bw_record_add(record, "column_water", BW_RECORD_DOUBLE, height->columns.columns, 2, &values, err));
    size_t bytes = (size_t)height->columns.columns * sizeof(double);
    memcpy(values, height->columns.water, bytes);
    memcpy((char *)values + bytes, height->columns.speed, bytes);
    return bw_height_save_spray(height, record, err);
}

BwResult bw_height_load(void *solver, const BwRecord *record, BwError *err)
{
    BwHeight *height = solver;
    int64_t rows = height->columns.columns;
    const void *values;
    BW_TRY(bw_bulk_load(&height->bulk, record, err));
    BW_TRY(bw_record_find(record, "column_water", BW_RECORD_DOUBLE, &rows, 2, &values, err));
    size_t bytes = (size_t)rows * sizeof(double);
    memcpy(height->columns.water, values, bytes);
    memcpy(height->columns.speed, (const char *)values + bytes, bytes);
    BW_TRY(bw_height_load_spray(height, record, err));
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
    BW_TRY(bw_bulk_agree(&height->bulk, record, err));
    return agree_on_columns(height, err);
}

BwResult bw_height_check(void *solver, double dt, BwError *err)
{
    BwHeight *height = solver;
    for (int64_t n = 0; n < height->columns.columns; n++)
        if (!isfinite(height->columns.water[n]))
            return bw_fail(err, BW_ERR_NUMERICS, "column %lld of the surface lost its height", (long long)n);
    return bw_bulk_check(&height->bulk, dt, err);
}
