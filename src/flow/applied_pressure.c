// From curves to loads.
#include "flow/applied_pressure.h"

#include "scene/curve.h"

#include <math.h>

static size_t load_bytes(const BwSceneDef *scene)
{
    return (size_t)scene->surface_pressure_count * sizeof(BwPressureLoad);
}

BwResult bw_applied_pressure_create(BwAppliedPressure *applied, BwFlow *flow, BwError *err)
{
    *applied = (BwAppliedPressure){0};
    if (flow->scene->surface_pressure_count == 0)
        return BW_OK;
    applied->allocator = flow->allocator;
    applied->loads = bw_alloc_zeroed(&flow->allocator, load_bytes(flow->scene), BW_ALIGN);
    if (applied->loads == NULL)
        return bw_fail_memory(err);
    applied->scene = flow->scene;
    return bw_field_create(&applied->pressure, flow->grid, BW_AT_CELL, 0.0f, err);
}

void bw_applied_pressure_destroy(BwAppliedPressure *applied)
{
    if (applied->scene == NULL)
        return;
    bw_free(&applied->allocator, applied->loads, load_bytes(applied->scene), BW_ALIGN);
    bw_field_destroy(&applied->pressure);
}

// The load in what of a step it is on for; nothing else is asked of its curve.
static BwResult look_up(const BwSurfacePressureDef *def, double from, double to, BwPressureLoad *load,
                        BwError *err)
{
    double begin = fmax(from, def->start), end = fmin(to, def->stop), middle = 0.5 * (begin + end);
    double share = to > from ? fmax(end - begin, 0.0) / (to - from) : 0.0;
    *load = (BwPressureLoad){.shape = def->shape.kind != BW_SHAPE_NONE ? &def->shape : NULL,
                             .share = (float)share,
                             .time = middle};
    if (!(share > 0.0))
        return BW_OK;
    if (def->pressure.kind == BW_CURVE_PLACE) {
        load->function = &def->pressure;
        return BW_OK;
    }
    BW_TRY(bw_curve_number_at(&def->pressure, middle, 0.0f, &load->amplitude, err));
    if (def->wavelength > 0.0f) {
        double number = 2.0 * 3.14159265358979 / (double)def->wavelength;
        load->wave = bw_mul(bw_normalize(def->direction), (float)number);
        load->phase = (float)fmod(number * (double)def->speed * middle, 2.0 * 3.14159265358979);
    }
    return BW_OK;
}

BwResult bw_applied_pressure_find(BwAppliedPressure *applied, const BwDomain *domain, const BwMask *liquid,
                                  double from, double to, BwError *err)
{
    int count = 0;
    applied->is_on = false;
    applied->slope = 0.0f;
    for (int n = 0; applied->scene != NULL && n < applied->scene->surface_pressure_count; n++) {
        BW_TRY(look_up(&applied->scene->surface_pressures[n], from, to, &applied->loads[count], err));
        count += applied->loads[count].share > 0.0f;
    }
    if (count == 0)
        return BW_OK;
    applied->is_on = true;
    return bw_surface_pressure_find(&applied->pressure, domain, liquid, applied->loads, count,
                                    &applied->slope, err);
}

BwResult bw_applied_pressure_save(const BwAppliedPressure *applied, BwRecord *record, BwError *err)
{
    if (applied->scene == NULL)
        return BW_OK;
    return bw_record_add_number(record, "surface_pressure_slope", (double)applied->slope, err);
}

BwResult bw_applied_pressure_load(BwAppliedPressure *applied, const BwRecord *record, BwError *err)
{
    double slope;
    if (applied->scene == NULL)
        return BW_OK;
    BW_TRY(bw_record_find_number(record, "surface_pressure_slope", &slope, err));
    applied->slope = (float)slope;
    if (!(slope >= 0.0) || !isfinite(slope) || (double)applied->slope != slope)
        return bw_fail(err, BW_ERR_FORMAT, "\"surface_pressure_slope\" of the state is %.9g Pa/m", slope);
    return BW_OK;
}
