// Friction and conduction of smoke: the gas's own viscosity and conductivity, walls and obstacles that it
// sticks to, walls and obstacles that heat it. A scene that asks for none of them pays for none.
#include "solvers/smoke.h"

#include "domain/measure.h"
#include <math.h>

static bool may_stick(const BwCurve *slip, float otherwise)
{
    if (!bw_curve_is_given(slip))
        return otherwise != 1.0f;
    return slip->kind != BW_CURVE_CONSTANT || slip->value[0] != 1.0f;
}

static bool any_surface_sticks(const BwSceneDef *scene)
{
    float slip = scene->has_walls ? scene->walls.slip : 1.0f;
    for (int side = 0; side < BW_SIDE_COUNT && scene->has_walls; side++)
        if (may_stick(&scene->walls.side[side].slip, slip))
            return true;
    for (int n = 0; n < scene->obstacle_count; n++)
        if (may_stick(&scene->obstacles[n].slip, slip))
            return true;
    return false;
}

static bool any_surface_heats(const BwSceneDef *scene)
{
    for (int side = 0; side < BW_SIDE_COUNT && scene->has_walls; side++)
        if (bw_curve_is_given(&scene->walls.side[side].temperature))
            return true;
    for (int n = 0; n < scene->obstacle_count; n++)
        if (bw_curve_is_given(&scene->obstacles[n].temperature))
            return true;
    return false;
}

BwResult bw_smoke_create_diffusion(BwSmoke *smoke, BwError *err)
{
    const BwSceneDef *scene = smoke->scene;
    smoke->has_friction = scene->smoke.viscosity > 0.0f || any_surface_sticks(scene);
    smoke->has_conduction = scene->smoke.conductivity > 0.0f || any_surface_heats(scene);
    bool spreads = scene->smoke.viscosity > 0.0f || scene->smoke.conductivity > 0.0f;
    smoke->has_push =
        scene->smoke.viscosity > 0.0f && (any_surface_sticks(scene) || bw_smoke_reflects(smoke));
    if (smoke->has_push)
        BW_TRY(bw_velocity_create(&smoke->push, smoke->grid, bw_vec3(0.0f, 0.0f, 0.0f), err));
    // Gas without viscosity feels nothing of a wall but in the samples that the wall holds.
    bool walls_hold = smoke->has_friction && !(scene->smoke.viscosity > 0.0f);
    if (scene->smoke.subgrid > 0.0f)
        BW_TRY(bw_subgrid_create(&smoke->subgrid, smoke->grid, walls_hold, err));
    if (!smoke->has_friction && !smoke->has_conduction)
        return BW_OK;
    return bw_diffusion_create(&smoke->diffusion, smoke->grid, smoke->pool, spreads, err);
}

static BwHeld held_field(BwSmoke *smoke, BwField *field)
{
    return (BwHeld){.domain = &smoke->domain,
                    .solids = smoke->solids.poses,
                    .solid_count = smoke->scene->obstacle_count,
                    .dt = smoke->solids_dt,
                    .field = field};
}

static BwResult diffuse(BwSmoke *smoke, BwField *field, float coefficient, BwMask *touched, BwStats *stats,
                        BwError *err)
{
    BwHeld held = held_field(smoke, field);
    if (!(coefficient > 0.0f)) {
        bw_hold_at_walls(&smoke->diffusion, &held, touched);
        return BW_OK;
    }
    BwPoissonReport report;
    BW_TRY(bw_diffuse(&smoke->diffusion, &held, coefficient, &report, err));
    if (report.reason != BW_STOP_EMPTY && report.reason > stats->stop_reason)
        stats->stop_reason = report.reason;
    if (field == &smoke->temperature)
        bw_smoke_measure_conduction(smoke, &held);
    else
        bw_smoke_measure_viscosity(smoke, &held);
    return BW_OK;
}

static BwResult diffuse_velocity(BwSmoke *smoke, BwStats *stats, BwError *err)
{
    for (int a = 0; a < smoke->grid->dimension; a++) {
        BwMask *held = &smoke->subgrid.held[a];
        BW_TRY(diffuse(smoke, &smoke->velocity.u[a], smoke->scene->smoke.viscosity,
                       held->store.grid != NULL ? held : NULL, stats, err));
    }
    return BW_OK;
}

BwResult bw_smoke_rub(BwSmoke *smoke, double dt, BwStats *stats, BwError *err)
{
    const BwDomain *domain = &smoke->domain;
    if (!smoke->has_push)
        return diffuse_velocity(smoke, stats, err);
    if (bw_smoke_reflects(smoke)) {
        bw_push_begin(domain, &smoke->push, &smoke->velocity);
        BW_TRY(diffuse_velocity(smoke, stats, err));
        bw_push_end(domain, &smoke->push, &smoke->velocity, (float)dt);
        return BW_OK;
    }
    bw_push_apply(domain, &smoke->push, &smoke->velocity, (float)dt);
    BW_TRY(diffuse_velocity(smoke, stats, err));
    bw_push_apply(domain, &smoke->push, &smoke->velocity, (float)-dt);
    return BW_OK;
}

void bw_smoke_rub_middle(BwSmoke *smoke, double dt)
{
    if (!smoke->has_push)
        return;
    bw_push_apply(&smoke->domain, &smoke->push, &smoke->velocity, (float)(0.5 * dt));
    bw_push_apply(&smoke->domain, &smoke->push, &smoke->reflected, (float)dt);
}

void bw_smoke_drain_subgrid(BwSmoke *smoke, double dt)
{
    BwSubgridLaw law = {
        .factor = smoke->scene->smoke.subgrid, .viscosity = smoke->scene->smoke.viscosity, .dt = (float)dt};
    // The right side of the pressure system is written only when it is solved: until then its memory is free.
    bw_subgrid_friction(&smoke->subgrid, &smoke->domain, &smoke->velocity, &smoke->next_velocity,
                        &smoke->projection.system.right, law);
    bw_smoke_swap_velocity(smoke);
}

BwResult bw_smoke_conduct(BwSmoke *smoke, BwStats *stats, BwError *err)
{
    return diffuse(smoke, &smoke->temperature, smoke->scene->smoke.conductivity, NULL, stats, err);
}

void bw_smoke_surface_limits(const BwSmoke *smoke, float *speed, float *hottest)
{
    float ambient = smoke->scene->smoke.ambient;
    *speed = *hottest = 0.0f;
    for (int side = 0; side < BW_SIDE_COUNT && smoke->scene->has_walls; side++) {
        const BwBoxSide *wall = &smoke->domain.side[side];
        *speed = fmaxf(*speed, bw_length(wall->velocity));
        *hottest = fmaxf(*hottest, isnan(wall->temperature) ? 0.0f : fabsf(wall->temperature - ambient));
    }
    for (int n = 0; n < smoke->scene->obstacle_count; n++) {
        float temperature = smoke->solids.poses[n].temperature;
        *hottest = fmaxf(*hottest, isnan(temperature) ? 0.0f : fabsf(temperature - ambient));
    }
}
