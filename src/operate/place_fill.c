// A plain loop over live samples.
#include "operate/place_fill.h"

BwResult bw_fill_from_place(const BwPlaceCurve *curve, BwField *field, int component, BwTask *task,
                            BwError *err)
{
    if (curve->function == NULL)
        return BW_OK;
    const BwGrid *grid = field->store.grid;
    for (int32_t n = 0; n < grid->tile_count; n++) {
        const BwGridTile *tile = &grid->tiles[grid->order[n]];
        float *values = bw_field_tile(field, grid->order[n]);
        for (int c = 0; c < grid->tile_cells; c++) {
            if (!bw_bit(tile->live, c))
                continue;
            float value[4] = {0};
            BW_TRY(bw_task_go_on(task, (double)n / grid->tile_count, err));
            BwVec3 point = bw_sample_position(grid, tile->coord, c, field->location);
            BW_TRY(curve->function(curve->user, point, value, err));
            values[c] = value[component];
        }
    }
    return BW_OK;
}

// The value of a curve that is the same everywhere.
static BwResult fill_evenly(const BwCurve *curve, double time, BwField *field, int component, BwError *err)
{
    const BwGrid *grid = field->store.grid;
    float value[4];
    BW_TRY(bw_curve_at(curve, time, value, err));
    for (int32_t n = 0; n < grid->tile_count; n++) {
        float *values = bw_field_tile(field, grid->order[n]);
        for (int c = 0; c < grid->tile_cells; c++)
            values[c] = value[component];
    }
    return BW_OK;
}

BwResult bw_fill_from_curve(const BwCurve *curve, double time, BwField *field, int component, BwError *err)
{
    const BwGrid *grid = field->store.grid;
    if (curve->kind != BW_CURVE_PLACE)
        return fill_evenly(curve, time, field, component, err);
    for (int32_t n = 0; n < grid->tile_count; n++) {
        const BwGridTile *tile = &grid->tiles[grid->order[n]];
        float *values = bw_field_tile(field, grid->order[n]), value[4];
        for (int c = 0; c < grid->tile_cells; c++) {
            if (!bw_bit(tile->live, c))
                continue;
            BwVec3 point = bw_sample_position(grid, tile->coord, c, field->location);
            BW_TRY(bw_curve_at_place(curve, point, time, value, err));
            values[c] = value[component];
        }
    }
    return BW_OK;
}
