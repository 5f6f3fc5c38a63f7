// What smoke makes of a scene's sources: the fields they write to, how long a step they allow, and what decay
// and solids take away.
#include "solvers/smoke.h"

#include "domain/measure.h"
#include <math.h>
#include <string.h>

BwSourceFields bw_smoke_fields(BwSmoke *smoke)
{
    const BwDomain *domain = &smoke->domain;
    return (BwSourceFields){.domain = domain,
                            .velocity = &smoke->velocity,
                            .flow = {&domain->flow[0], &domain->flow[1], &domain->flow[2]},
                            .density = &smoke->density,
                            .temperature = &smoke->temperature,
                            .ambient = smoke->scene->smoke.ambient,
                            .hull = smoke->color.is_used ? &smoke->color.hull : NULL,
                            .color = smoke->color.amount,
                            .solids = smoke->solids.poses,
                            .shadows = smoke->shadows,
                            .coverage = smoke->coverage};
}

BwResult bw_smoke_prescribe(BwSmoke *smoke, double time, BwError *err)
{
    if (smoke->domain.prescribed == NULL)
        return BW_OK;
    BwSourceFields fields = bw_smoke_fields(smoke);
    return bw_scene_prescribe(smoke->scene, &fields, time, &smoke->prescribed, err);
}

void bw_smoke_mark_held(BwSmoke *smoke, double time)
{
    const BwGrid *grid = smoke->grid;
    for (int32_t n = 0; n < grid->tile_count; n++)
        memset(bw_mask_tile(&smoke->held, grid->order[n]), 0, (size_t)grid->layers * sizeof(uint64_t));
    BwSourceFields fields = bw_smoke_fields(smoke);
    bw_scene_mark_held(smoke->scene, &fields, time, &smoke->held);
}

float bw_smoke_heat_lift(const BwSmoke *smoke, float gravity)
{
    float given = smoke->scene->smoke.buoyancy_heat;
    return isnan(given) ? gravity / smoke->scene->smoke.ambient : given;
}

static float length3(const float v[3])
{
    return sqrtf(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
}

// The furthest that heat and smoke are from those of the air, of what is there and what will come.
typedef struct Extremes {
    float heat, smoke; // K, 1
} Extremes;

static BwResult add_emitter_limits(const BwEmitterDef *emitter, float ambient, double time, float *speed,
                                   Extremes *most, BwError *err)
{
    float value[4];
    if (!bw_is_on(emitter->start, emitter->stop, time))
        return BW_OK;
    BW_TRY(bw_curve_at(&emitter->velocity, time, value, err));
    *speed = fmaxf(*speed, length3(value));
    BW_TRY(bw_curve_at(&emitter->temperature, time, value, err));
    if (bw_curve_is_given(&emitter->temperature))
        most->heat = fmaxf(most->heat, fabsf(value[0] - ambient));
    BW_TRY(bw_curve_at(&emitter->density, time, value, err));
    if (bw_curve_is_given(&emitter->density))
        most->smoke = fmaxf(most->smoke, fabsf(value[0]));
    return BW_OK;
}

static BwResult add_emitters_limits(const BwSceneDef *scene, double time, float *speed, Extremes *most,
                                    BwError *err)
{
    for (int n = 0; n < scene->emitter_count; n++)
        BW_TRY(add_emitter_limits(&scene->emitters[n], scene->smoke.ambient, time, speed, most, err));
    for (int n = 0; n < scene->obstacle_count; n++)
        if (scene->obstacles[n].emit != NULL)
            BW_TRY(
                add_emitter_limits(scene->obstacles[n].emit, scene->smoke.ambient, time, speed, most, err));
    return BW_OK;
}

// Of what a pump throws: the gas that it squeezes aside is faster by as much.
static const float squeezed = 1.25f;

static BwResult add_pump_limits(const BwPumpDef *pump, double time, float *speed, BwError *err)
{
    float value[4];
    if (!bw_is_on(pump->start, pump->stop, time))
        return BW_OK;
    BW_TRY(bw_curve_at(&pump->velocity, time, value, err));
    *speed = fmaxf(*speed, squeezed * length3(value));
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
        bool is_pull = def->field == BW_FORCE_POINT || def->field == BW_FORCE_VORTEX;
        float peak = is_pull ? 1.0f : def->field == BW_FORCE_TURBULENCE ? BW_TURBULENCE_PEAK : 0.0f;
        *acceleration += bw_length(force.acceleration) + peak * fabsf(force.strength);
    }
    return BW_OK;
}

// Both factors of buoyancy may be of either sign.
BwResult bw_smoke_limits(const BwSmoke *smoke, double time, float *speed, float *acceleration, BwError *err)
{
    const BwSceneDef *scene = smoke->scene;
    const BwDomain *domain = &smoke->domain;
    float gravity[4];
    BW_TRY(bw_curve_at(&scene->gravity, time, gravity, err));
    Extremes most = {0};
    bw_smoke_surface_limits(smoke, speed, &most.heat);
    *speed = fmaxf(*speed, smoke->max_speed);
    BW_TRY(add_emitters_limits(scene, time, speed, &most, err));
    for (int n = 0; n < scene->pump_count; n++)
        BW_TRY(add_pump_limits(&scene->pumps[n], time, speed, err));
    float lift = fabsf(bw_smoke_heat_lift(smoke, length3(gravity))),
          weight = fabsf(scene->smoke.buoyancy_weight);
    if (lift > 0.0f)
        most.heat = fmaxf(most.heat,
                          bw_field_max_abs(domain, &smoke->temperature, &domain->open, scene->smoke.ambient));
    if (weight > 0.0f)
        most.smoke = fmaxf(most.smoke, bw_field_max_abs(domain, &smoke->density, &domain->open, 0.0f));
    *acceleration = lift * most.heat + weight * most.smoke;
    return add_force_limits(scene, time, acceleration, err);
}

typedef struct Decay {
    BwSmoke *smoke;
    float lost, cooled; // density taken away; factor on the heat
} Decay;

// What is lost takes its colour along.
static void fade_color(const BwSmoke *smoke, int32_t slot, int cell, float left)
{
    for (int n = 0; n < smoke->color.hull.dimension; n++)
        bw_field_tile(&smoke->color.field[n], slot)[cell] *= left;
}

// Smoke that a solid moved over is gone. What advection brought into a solid that stood there never was
// smoke, whether it still stands there or not.
static void clear_solid_range(int64_t begin, int64_t end, int worker, void *context)
{
    (void)worker;
    const Decay *job = context;
    const BwSmoke *smoke = job->smoke;
    for (int64_t n = begin; n < end; n++) {
        int32_t slot = smoke->grid->order[n];
        float *density = bw_field_tile(&smoke->density, slot),
              *heat = bw_field_tile(&smoke->temperature, slot);
        const uint64_t *solid = bw_mask_tile(&smoke->domain.solid, slot);
        const uint64_t *was_solid = bw_mask_tile(&smoke->domain.was_solid, slot);
        for (int k = 0; k < smoke->grid->layers; k++)
            for (uint64_t bits = solid[k] | was_solid[k]; bits != 0; bits &= bits - 1) {
                int c = BW_TILE_LAYER * k + __builtin_ctzll(bits);
                density[c] = 0.0f;
                heat[c] = smoke->scene->smoke.ambient;
                fade_color(smoke, slot, c, 0.0f);
            }
    }
}

// A (25), and cooling towards the ambient temperature.
static double decay_range(int64_t begin, int64_t end, int worker, void *context)
{
    (void)worker;
    const Decay *job = context;
    const BwSmoke *smoke = job->smoke;
    float ambient = smoke->scene->smoke.ambient;
    bool has_color = smoke->color.hull.dimension > 0 && job->lost > 0.0f;
    double removed = 0.0;
    for (int64_t n = begin; n < end; n++) {
        int32_t slot = smoke->grid->order[n];
        float *density = bw_field_tile(&smoke->density, slot),
              *heat = bw_field_tile(&smoke->temperature, slot);
        for (int c = 0; c < smoke->grid->tile_cells; c++) {
            float left = density[c] > job->lost ? density[c] - job->lost : 0.0f;
            removed += (double)density[c] - (double)left;
            if (has_color && density[c] > 0.0f)
                fade_color(smoke, slot, c, left / density[c]);
            density[c] = left;
            heat[c] = ambient + job->cooled * (heat[c] - ambient);
        }
    }
    return removed;
}

void bw_smoke_clear_solids(BwSmoke *smoke, BwStats *stats)
{
    if (smoke->scene->obstacle_count == 0)
        return;
    Decay job = {.smoke = smoke};
    bw_parallel_for(smoke->pool, smoke->grid->tile_count, 32, clear_solid_range, &job);
    if (!bw_scene_solids_have_moved(&smoke->solids))
        return;
    BwField *fields[5] = {&smoke->density, &smoke->temperature};
    int count = 2;
    for (int n = 0; n < smoke->color.hull.dimension; n++)
        fields[count++] = smoke->color.amount[n];
    bw_fill_uncovered(&smoke->solid_flow, &smoke->domain, fields, count);
    bw_level_swept(&smoke->domain, &smoke->density, fields + 2, count - 2);
    stats->removed[BW_REMOVED_SOLID] += smoke->outcome.mass_carried - bw_smoke_mass(smoke);
}

void bw_smoke_decay(BwSmoke *smoke, double dt, BwStats *stats)
{
    const BwSmokeDef *def = &smoke->scene->smoke;
    if (def->dissipation == 0.0f && def->cooling == 0.0f)
        return;
    Decay job = {
        .smoke = smoke, .lost = def->dissipation * (float)dt, .cooled = expf(-def->cooling * (float)dt)};
    double removed = bw_parallel_sum(smoke->pool, smoke->grid->tile_count, 32, decay_range, &job);
    stats->removed[BW_REMOVED_DISSIPATED] += removed * bw_cell_volume(smoke->grid);
}
