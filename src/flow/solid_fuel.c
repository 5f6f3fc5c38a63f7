// Life, stages and state of obstacles that burn.
#include "flow/solid_fuel.h"

#include "scene/curve.h"
#include "scene/fuel.h"
#include "scene/gas.h"

#include <math.h>

// Patches are so many cells wide: fine enough for rods of two cells.
static const float patch_cells = 0.5f;

// A surface that has burnt so far in is black, as a share of its fuel; and how dark that is.
static const float charred_depth = 0.1f, charred_color = 0.12f;

enum { ARRAYS = 5 }; // of floats, one a patch

static BwSolidFuelLaw law_of(const BwSceneDef *scene, const BwSolidFuelDef *def)
{
    BwFuelDef gas = bw_fuel_numbers(&scene->fire.fuel);
    bool is_thin = scene->fire.model == BW_FIRE_THIN;
    return (BwSolidFuelLaw){.ignition = isnan(def->ignition) ? gas.ignition : def->ignition,
                            .hottest = gas.temperature_max,
                            .heating = def->heating,
                            .spread = def->spread,
                            .ambient = bw_scene_gas(scene)->ambient,
                            .thickness = def->thickness,
                            .gas_ratio = def->density / gas.density - 1.0f,
                            .flame_speed = is_thin ? gas.flame_speed : 0.0f,
                            .flame_ratio = gas.density / gas.density_products};
}

static void light(const BwFuelSurface *surface, const BwSolidFuelDef *def)
{
    for (int64_t n = 0; n < surface->patches->count; n++) {
        bool is_lit = def->lit.kind != BW_SHAPE_NONE &&
                      bw_shape_distance(&def->lit, surface->patches->list[n].place) <= 0.0f;
        surface->temperature[n] = is_lit ? surface->law.ignition + BW_SUPERHEAT_MAX : surface->law.ambient;
    }
}

// Area of the surface a layer of fuel away over that of the surface; what is hollow counts as flat.
static void measure_spread(const BwFuelSurface *surface, const BwGrid *grid)
{
    float away = BW_FUEL_LAYER * grid->cell_size;
    for (int64_t n = 0; n < surface->patches->count; n++) {
        float wider = 1.0f + away * fmaxf(bw_patch_curvature(surface->patches, n), 0.0f);
        surface->spread[n] = grid->dimension == 3 ? wider * wider : wider;
    }
}

static BwResult create_surface(BwSolidFuel *fuel, const BwFlow *flow, int n, BwError *err)
{
    const BwSolidFuelDef *def = fuel->scene->obstacles[n].fuel;
    BwSurfacePatches *patches = &fuel->patches[n];
    BwFuelSurface *surface = &fuel->surfaces[n];
    if (def == NULL)
        return BW_OK;
    BW_TRY(bw_surface_patches_create(patches, &fuel->scene->obstacles[n].shape, flow->grid->dimension,
                                     patch_cells * flow->grid->cell_size, fuel->allocator, err));
    *surface =
        (BwFuelSurface){.patches = patches, .solid = &flow->solids.poses[n], .law = law_of(fuel->scene, def)};
    if (patches->count == 0)
        return BW_OK;
    float *values =
        bw_alloc_zeroed(&fuel->allocator, (size_t)patches->count * ARRAYS * sizeof *values, BW_ALIGN);
    if (values == NULL)
        return bw_fail_memory(err);
    surface->temperature = values;
    surface->depth = values + patches->count;
    surface->rate = values + 2 * patches->count;
    surface->next_temperature = values + 3 * patches->count;
    surface->spread = values + 4 * patches->count;
    measure_spread(surface, flow->grid);
    light(surface, def);
    return BW_OK;
}

BwResult bw_solid_fuel_create(BwSolidFuel *fuel, const BwFlow *flow, BwError *err)
{
    size_t count = (size_t)flow->scene->obstacle_count;
    *fuel = (BwSolidFuel){0};
    if (!bw_scene_has_solid_fuel(flow->scene))
        return BW_OK;
    fuel->scene = flow->scene;
    fuel->allocator = flow->allocator;
    fuel->patches = bw_alloc_zeroed(&fuel->allocator, count * sizeof *fuel->patches, BW_ALIGN);
    fuel->surfaces = bw_alloc_zeroed(&fuel->allocator, count * sizeof *fuel->surfaces, BW_ALIGN);
    if (fuel->patches == NULL || fuel->surfaces == NULL)
        return bw_fail_memory(err);
    for (int n = 0; n < flow->scene->obstacle_count; n++)
        BW_TRY(create_surface(fuel, flow, n, err));
    return BW_OK;
}

void bw_solid_fuel_destroy(BwSolidFuel *fuel)
{
    if (fuel->scene == NULL)
        return;
    size_t count = (size_t)fuel->scene->obstacle_count;
    for (size_t n = 0; n < count && fuel->patches != NULL && fuel->surfaces != NULL; n++) {
        if (fuel->surfaces[n].temperature != NULL)
            bw_free(&fuel->allocator, fuel->surfaces[n].temperature,
                    (size_t)fuel->patches[n].count * ARRAYS * sizeof(float), BW_ALIGN);
        if (fuel->patches[n].allocator.resize != NULL)
            bw_surface_patches_destroy(&fuel->patches[n]);
    }
    bw_free(&fuel->allocator, fuel->patches, count * sizeof *fuel->patches, BW_ALIGN);
    bw_free(&fuel->allocator, fuel->surfaces, count * sizeof *fuel->surfaces, BW_ALIGN);
}

// A scene's functions run one at a time.
static BwResult look_up_rates(const BwFuelSurface *surface, const BwCurve *curve, double time, BwError *err)
{
    for (int64_t n = 0; n < surface->patches->count; n++) {
        float value[4] = {0};
        if (bw_patch_burns(surface, n))
            BW_TRY(bw_curve_at_place(curve, surface->patches->list[n].place, time, value, err));
        surface->rate[n] = value[0];
    }
    return BW_OK;
}

BwResult bw_solid_fuel_prepare(BwSolidFuel *fuel, const BwFlow *flow, const BwSurfaceGas *gas, double time,
                               double dt, BwError *err)
{
    for (int n = 0; fuel->scene != NULL && n < fuel->scene->obstacle_count; n++) {
        const BwFuelSurface *surface = &fuel->surfaces[n];
        if (surface->temperature == NULL)
            continue;
        bw_fuel_surface_heat(surface, &flow->domain, gas, (float)dt);
        BW_TRY(look_up_rates(surface, &fuel->scene->obstacles[n].fuel->rate, time, err));
        bw_fuel_surface_cover(surface, &flow->domain, gas);
    }
    return BW_OK;
}

void bw_solid_fuel_release(BwSolidFuel *fuel, const BwFlow *flow, const BwSurfaceGas *gas, double dt,
                           BwStats *stats)
{
    for (int n = 0; fuel->scene != NULL && n < fuel->scene->obstacle_count; n++) {
        if (fuel->surfaces[n].temperature == NULL)
            continue;
        BwGasified given = bw_fuel_surface_release(&fuel->surfaces[n], &flow->domain, gas, (float)dt);
        stats->gasified += given.solid;
        stats->burnt += given.burnt;
    }
}

// Gas that burns on the surface is faster by as much as it expands; all is taken to be so.
static BwResult speed_of(const BwFuelSurface *surface, const BwCurve *curve, double time, float *speed,
                         BwError *err)
{
    float scale =
        surface->law.gas_ratio * (surface->law.flame_speed > 0.0f ? surface->law.flame_ratio : 1.0f);
    for (int64_t n = 0; n < surface->patches->count; n++) {
        float rate[4];
        if (!bw_patch_burns(surface, n))
            continue;
        BW_TRY(bw_curve_at_place(curve, surface->patches->list[n].place, time, rate, err));
        *speed = fmaxf(*speed, scale * rate[0]);
        if (curve->kind != BW_CURVE_PLACE)
            break;
    }
    return BW_OK;
}

BwResult bw_solid_fuel_speed(const BwSolidFuel *fuel, double time, float *speed, BwError *err)
{
    *speed = 0.0f;
    for (int n = 0; fuel->scene != NULL && n < fuel->scene->obstacle_count; n++)
        if (fuel->surfaces[n].temperature != NULL)
            BW_TRY(speed_of(&fuel->surfaces[n], &fuel->scene->obstacles[n].fuel->rate, time, speed, err));
    return BW_OK;
}

// The mean over its surface, 0 to 1.
static float charred_share(const BwFuelSurface *surface)
{
    double black = 0.0, all = 0.0;
    for (int64_t n = 0; n < surface->patches->count; n++) {
        double area = (double)surface->patches->list[n].area;
        float deep = isinf(surface->law.thickness) ? 0.01f : charred_depth * surface->law.thickness;
        black += area * (double)fminf(surface->depth[n] / deep, 1.0f);
        all += area;
    }
    return (float)(black / all);
}

void bw_solid_fuel_show(const BwSolidFuel *fuel, BwSceneSolids *solids)
{
    for (int n = 0; fuel->scene != NULL && n < fuel->scene->obstacle_count; n++) {
        if (fuel->surfaces[n].temperature == NULL)
            continue;
        BwFrameSolid *solid = &solids->in_frame[n];
        solid->darkened = (1.0f - charred_color) * charred_share(&fuel->surfaces[n]);
        for (int c = 0; c < 3; c++)
            solid->color[c] *= 1.0f - solid->darkened;
    }
}

static int64_t all_patches(const BwSolidFuel *fuel)
{
    int64_t count = 0;
    for (int n = 0; n < fuel->scene->obstacle_count; n++)
        count += fuel->patches[n].count;
    return count;
}

BwResult bw_solid_fuel_save(const BwSolidFuel *fuel, BwRecord *record, BwError *err)
{
    void *values;
    if (fuel->scene == NULL)
        return BW_OK;
    BW_TRY(bw_record_add(record, "solid_fuel", BW_RECORD_FLOAT, all_patches(fuel), 2, &values, err));
    float *row = values;
    for (int n = 0; n < fuel->scene->obstacle_count; n++)
        for (int64_t m = 0; m < fuel->patches[n].count; m++, row += 2) {
            row[0] = fuel->surfaces[n].temperature[m];
            row[1] = fuel->surfaces[n].depth[m];
        }
    return BW_OK;
}

// Temperature and depth of a patch.
static bool can_be(const BwSolidFuelLaw *law, const float row[2])
{
    return row[0] > 0.0f && row[0] <= law->ignition + BW_SUPERHEAT_MAX && row[1] >= 0.0f &&
           row[1] <= 1.001f * law->thickness;
}

BwResult bw_solid_fuel_load(BwSolidFuel *fuel, const BwRecord *record, BwError *err)
{
    const void *values;
    if (fuel->scene == NULL)
        return BW_OK;
    int64_t rows = all_patches(fuel);
    BW_TRY(bw_record_find(record, "solid_fuel", BW_RECORD_FLOAT, &rows, 2, &values, err));
    const float *row = values;
    for (int n = 0; n < fuel->scene->obstacle_count; n++)
        for (int64_t m = 0; m < fuel->patches[n].count; m++, row += 2) {
            if (!can_be(&fuel->surfaces[n].law, row))
                return bw_fail(err, BW_ERR_FORMAT,
                               "\"solid_fuel\" of the state holds what no surface can be: obstacle %d",
                               n + 1);
            fuel->surfaces[n].temperature[m] = row[0];
            fuel->surfaces[n].depth[m] = row[1];
        }
    return BW_OK;
}
