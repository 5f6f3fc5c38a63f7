// Viscosity and conduction of a flow, walls and obstacles that it sticks to, walls and obstacles that heat
// it. A scene that asks for none of them pays for none.
#include "flow/flow_parts.h"
#include "flow/scene_surfaces.h"
#include "operate/field_math.h"

BwResult bw_flow_create_diffusion(BwFlow *flow, BwError *err)
{
    const BwFlowDef *def = &flow->def;
    bool sticks = bw_scene_has_no_slip(flow->scene), is_viscous = def->is_viscous || def->viscosity > 0.0f;
    bool couples_stress = is_viscous && def->couples_stress;
    flow->has_friction = (is_viscous || sticks) && !def->is_explicit;
    flow->has_conduction =
        def->has_heat && (def->conductivity > 0.0f || bw_scene_has_heated_surface(flow->scene));
    flow->keeps_acceleration = is_viscous && !couples_stress && (sticks || bw_flow_reflects(flow));
    if (flow->keeps_acceleration)
        BW_TRY(bw_velocity_create(&flow->acceleration, flow->grid, bw_vec3(0.0f, 0.0f, 0.0f), err));
    // Fluid without viscosity feels nothing of a wall but in the samples that the wall holds.
    if (def->subgrid > 0.0f)
        BW_TRY(bw_subgrid_create(&flow->subgrid, flow->grid, flow->has_friction && !is_viscous, err));
    if (couples_stress)
        BW_TRY(bw_viscosity_create(&flow->viscosity, flow->grid, err));
    if (def->elastic > 0.0)
        BW_TRY(bw_elastic_create(&flow->elastic, flow->grid, err));
    if (couples_stress && def->varies_viscosity)
        BW_TRY(bw_field_create(&flow->viscosities, flow->grid, BW_AT_CELL, 0.0f, err));
    if (!flow->has_friction && !flow->has_conduction)
        return BW_OK;
    bool has_solver = (is_viscous && !couples_stress) || def->conductivity > 0.0f;
    return bw_diffusion_create(&flow->diffusion, flow->grid, flow->pool, has_solver, err);
}

static BwBoundaryField boundary_field(BwFlow *flow, BwField *field)
{
    return (BwBoundaryField){.domain = &flow->domain,
                             .solids = flow->solids.poses,
                             .solid_count = flow->scene->obstacle_count,
                             .dt = flow->solids_dt,
                             .field = field};
}

static BwResult diffuse(BwFlow *flow, const BwBoundaryField *boundary, float coefficient,
                        const BwDiffuseTerms *terms, BwStats *stats, BwError *err)
{
    BwPoissonReport report;
    BW_TRY(bw_diffuse(&flow->diffusion, boundary, coefficient, terms, &report, err));
    stats->stop_reason = bw_stop_worst(stats->stop_reason, report.reason);
    return BW_OK;
}

static BwResult diffuse_component(BwFlow *flow, int axis, BwStats *stats, BwError *err)
{
    BwBoundaryField boundary = boundary_field(flow, &flow->velocity.u[axis]);
    BwFlowMeasures *m = &flow->measures;
    BwMask *touched = &flow->subgrid.constrained[axis];
    if (!(flow->def.viscosity > 0.0f)) {
        bw_impose_walls(&flow->diffusion, &boundary, touched->store.grid != NULL ? touched : NULL);
        return BW_OK;
    }
    BW_TRY(diffuse(flow, &boundary, flow->def.viscosity, NULL, stats, err));
    if (m->is_due)
        m->dissipation +=
            bw_viscous_loads(&m->sums, &boundary, &flow->diffusion.masks, flow->def.viscosity, m->viscous);
    return BW_OK;
}

static BwResult diffuse_velocity(BwFlow *flow, BwStats *stats, BwError *err)
{
    for (int a = 0; a < flow->grid->dimension; a++)
        BW_TRY(diffuse_component(flow, a, stats, err));
    return BW_OK;
}

BwResult bw_flow_viscosity(BwFlow *flow, double dt, BwStats *stats, BwError *err)
{
    const BwDomain *domain = &flow->domain;
    if (!flow->keeps_acceleration)
        return diffuse_velocity(flow, stats, err);
    if (bw_flow_reflects(flow)) {
        bw_acceleration_begin(domain, &flow->acceleration, &flow->velocity);
        BW_TRY(diffuse_velocity(flow, stats, err));
        bw_acceleration_end(domain, &flow->acceleration, &flow->velocity, (float)dt);
        return BW_OK;
    }
    bw_acceleration_apply(domain, &flow->acceleration, &flow->velocity, (float)dt);
    BW_TRY(diffuse_velocity(flow, stats, err));
    bw_acceleration_apply(domain, &flow->acceleration, &flow->velocity, (float)-dt);
    return BW_OK;
}

// Of the viscous solve: what is left of its right side, and of the change by energy.
static const double viscous_tolerance = 1e-5;

BwViscosityDef bw_flow_viscosity_def(const BwFlow *flow, const BwMask passable[3], double dt)
{
    return (BwViscosityDef){.domain = &flow->domain,
                            .solids = flow->solids.poses,
                            .solid_count = flow->scene->obstacle_count,
                            .solids_dt = flow->solids_dt,
                            .phi = flow->domain.terms->phi,
                            .passable = passable,
                            .viscosity = (double)flow->def.viscosity + flow->elastic.viscosity,
                            .viscosities = flow->def.varies_viscosity ? &flow->viscosities : NULL,
                            .law = flow->def.law,
                            .released = flow->elastic.has_released ? &flow->elastic.released : NULL,
                            .elastic = flow->elastic.viscosity,
                            .dt = dt,
                            .tolerance = viscous_tolerance,
                            .iterations_max = flow->scene->solver.iterations_max,
                            .loads = flow->measures.is_due ? flow->measures.viscous : NULL};
}

// Rounds of a viscosity that follows the rate of strain, each with that of the round before (Picard); the
// first with that of the step before.
enum { LAW_ROUNDS = 3 };

// One round counts in the measures, the last.
static BwResult solve_viscosity(BwFlow *flow, BwViscosityDef *def, BwStats *stats, BwError *err)
{
    bool follows_rate = bw_law_follows_rate(&def->law);
    BwViscosityReport report = {.reason = BW_STOP_EMPTY};
    BwSurfaceLoad *loads = def->loads;
    if (follows_rate) {
        bw_velocity_copy(&flow->domain, &flow->velocity, &flow->next_velocity);
        def->before = &flow->next_velocity;
    }
    for (int round = 1, last = follows_rate ? LAW_ROUNDS : 1; round <= last; round++) {
        def->loads = round == last ? loads : NULL;
        BW_TRY(bw_viscosity_solve(&flow->viscosity, def, &flow->velocity, &report, err));
        stats->viscosity_iterations += report.iterations;
        stats->stop_reason = bw_stop_worst(stats->stop_reason, report.reason);
    }
    if (flow->measures.is_due)
        flow->measures.dissipation += report.dissipation;
    return BW_OK;
}

BwResult bw_flow_liquid_viscosity(BwFlow *flow, const BwMask passable[3], double dt, BwStats *stats,
                                  BwError *err)
{
    BwViscosityDef def = bw_flow_viscosity_def(flow, passable, dt);
    bw_flow_set_wall_velocity(flow);
    BW_TRY(solve_viscosity(flow, &def, stats, err));
    return bw_flow_project(flow, stats, err);
}

void bw_flow_predict_viscosity(BwFlow *flow, double dt)
{
    if (!flow->keeps_acceleration)
        return;
    bw_acceleration_apply(&flow->domain, &flow->acceleration, &flow->velocity, (float)(0.5 * dt));
    bw_acceleration_apply(&flow->domain, &flow->acceleration, &flow->reflected, (float)dt);
}

BwResult bw_flow_conduct(BwFlow *flow, BwField *temperature, const BwDiffuseTerms *terms, BwStats *stats,
                         BwError *err)
{
    BwBoundaryField boundary = boundary_field(flow, temperature);
    boundary.candidates = terms != NULL ? terms->cells : NULL;
    BwFlowMeasures *m = &flow->measures;
    if (!(flow->def.conductivity > 0.0f)) {
        bw_impose_walls(&flow->diffusion, &boundary, NULL);
        return BW_OK;
    }
    BW_TRY(diffuse(flow, &boundary, flow->def.conductivity, terms, stats, err));
    if (m->is_due)
        bw_heat_flux(&m->sums, &boundary, &flow->diffusion.masks, flow->def.conductivity, m->heat_flux);
    return BW_OK;
}
