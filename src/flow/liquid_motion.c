// Bounds and forces of liquids.
#include "flow/liquid_motion.h"

#include "domain/measure.h"
#include "operate/field_math.h"
#include "scene/carried.h"
#include "scene/curve.h"

#include <math.h>

// The shortest wave, two cells long, turns by this much in a step, rad; by 2 it would grow.
static const double turn_max = 1.0;

BwResult bw_liquid_limits(const BwLiquidSources *sources, double time, double end, float *speed,
                          float *acceleration, BwError *err)
{
    BwVec3 gravity;
    BW_TRY(bw_curve_vector_at(&sources->scene->gravity, time, &gravity, err));
    *speed = 0.0f;
    BW_TRY(bw_liquid_source_speed(sources, time, end, speed, err));
    float driven = 0.0f, *air = sources->in_liquid_alone ? speed : &driven; // moves level sets alone
    BW_TRY(bw_liquid_controls_add_speed(sources->scene, time, air, &driven, err));
    *acceleration = bw_length(gravity) + sources->applied.slope / sources->scene->liquid.density;
    return bw_flow_add_limits(sources->flow, time, speed, acceleration, err);
}

BwResult bw_liquid_step_limit(const BwLiquidSources *sources, double time, double *limit, BwError *err)
{
    const BwLiquidDef *def = &sources->scene->liquid;
    float speed, acceleration;
    BW_TRY(bw_liquid_limits(sources, time, time + 1.0 / sources->scene->fps, &speed, &acceleration, err));
    BW_TRY(bw_flow_step_limit(sources->flow, time, speed, acceleration, limit, err));
    *limit = fmin(*limit, bw_capillary_step((double)def->surface_tension, (double)def->density,
                                            (double)sources->scene->cell));
    return BW_OK;
}

BwResult bw_liquid_surface_limit(const BwLiquidSources *sources, double time, double *limit, BwError *err)
{
    const BwSceneDef *scene = sources->scene;
    double frame = 1.0 / scene->fps, way = BW_SURFACE_CELLS * (double)scene->cell;
    float speed, acceleration, air = 0.0f, drag = 0.0f;
    BW_TRY(bw_liquid_limits(sources, time, time + frame, &speed, &acceleration, err));
    BW_TRY(bw_liquid_controls_add_speed(scene, time, &air, &drag, err));
    double bound = (double)speed + sqrt(way * (double)acceleration), longest = way / bound;
    if (sources->in_liquid_alone && air > 0.0f) // what a wind blows up or down is estimated for a cell
        longest = fmin(longest, (double)scene->cell / (double)air);
    *limit = fmax(bound > 0.0 ? longest : (double)INFINITY, frame / scene->steps_max);
    return BW_OK;
}

// What bends as a cell does, and is as far from what does not.
float bw_liquid_tension_acceleration(const BwSceneDef *scene, double dt)
{
    const BwLiquidDef *def = &scene->liquid;
    double h = (double)scene->cell, bend = scene->dimension - 1;
    double tension = bw_capillary_held((double)def->surface_tension, (double)def->density, h, dt);
    return (float)(bend * tension / ((double)def->density * h * h));
}

BwResult bw_liquid_reach(const BwLiquidSources *sources, double time, double dt, int *cells, BwError *err)
{
    float speed, acceleration, way;
    BW_TRY(bw_liquid_limits(sources, time, time + dt, &speed, &acceleration, err));
    BW_TRY(bw_flow_solids_way(sources->flow, time, dt, &way, err));
    acceleration += bw_liquid_tension_acceleration(sources->scene, dt);
    float most = (speed + acceleration * (float)dt) * (float)dt + way;
    float reach = ceilf(most / sources->flow->grid->cell_size);
    *cells = (int)fminf(reach, (float)BW_FLOW_REACH_MAX);
    return BW_OK;
}

BwResult bw_liquid_drive(const BwLiquidSources *sources, double time, BwDrive *drive, BwError *err)
{
    float speed; // counts the flow's own
    BW_TRY(bw_flow_drive(sources->flow, time, drive, err));
    if (!sources->flow->grid->has_bounds)
        drive->length = INFINITY; // a drop falls on, and tiles wake and sleep with it
    BW_TRY(bw_liquid_source_speed(sources, time, time, &drive->speed, err));
    BW_TRY(bw_liquid_limits(sources, time, time, &speed, &drive->acceleration, err));
    drive->acceleration += bw_liquid_tension_acceleration(sources->scene, 0.0);
    drive->nozzle_jump = sources->first_jump;
    drive->blocked_emitter = bw_liquid_blocked_emitter(sources);
    BW_TRY(bw_liquid_controls_add_speed(sources->scene, time, &drive->speed, &drive->speed, err));
    return bw_liquid_forced_speed(sources, time, &drive->speed, err);
}

BwViscosityLaw bw_liquid_viscosity_law(const BwSceneDef *scene)
{
    const BwLiquidDef *liquid = &scene->liquid;
    return (BwViscosityLaw){liquid->yield_stress / liquid->density, liquid->shear_exponent};
}

BwMeltRamp bw_liquid_melt_ramp(const BwSceneDef *scene)
{
    const BwMeltDef *melt = &scene->liquid.melt;
    return (BwMeltRamp){melt->solid, melt->liquid, melt->viscosity_solid};
}

bool bw_liquid_is_elastic(const BwSceneDef *scene)
{
    return scene->liquid.elastic.modulus > 0.0f;
}

BwResult bw_liquid_look_up_forces(BwFlow *flow, double last_dt, BwLiquidForces *forces, BwError *err)
{
    forces->seconds = (float)(0.5 * (last_dt + forces->dt));
    BW_TRY(bw_curve_vector_at(&flow->scene->gravity, forces->time, &forces->gravity, err));
    BW_TRY(bw_curve_number_at(&flow->scene->liquid.viscosity, forces->time, 0.0f, &flow->def.viscosity, err));
    return bw_flow_look_up_forces(flow, BW_FORCES_DRIVE | BW_FORCES_DRAG, forces->time, &forces->count, err);
}

BwResult bw_liquid_add_forces(BwLiquidSources *sources, const BwFaceMasks *faces,
                              const BwLiquidForces *forces, BwStats *stats, BwError *err)
{
    BwFlow *flow = sources->flow;
    bw_add_gravity(&flow->domain, faces->passable, &flow->velocity, forces->gravity, forces->seconds);
    bw_add_forces(&flow->domain, faces->passable, &flow->velocity, flow->forces, forces->count,
                  forces->seconds);
    BW_TRY(bw_liquid_controls_plan(&sources->controls, forces->time, err));
    bw_control_liquid(&flow->domain, faces, sources->controls.list, sources->controls.count, forces->seconds,
                      &flow->velocity);
    bw_flow_set_wall_velocity(flow);
    if (flow->has_friction && !bw_flow_is_thick(flow))
        BW_TRY(bw_flow_viscosity(flow, forces->dt, stats, err));
    BW_TRY(bw_liquid_sources_prescribe(sources, forces->time + forces->dt, err));
    bw_liquid_sources_hold(sources, forces->gravity, faces->passable);
    return BW_OK;
}

BwResult bw_liquid_thicken(BwLiquidSources *sources, const BwFaceMasks *faces, double dt, BwStats *stats,
                           BwError *err)
{
    sources->terms->surface = NULL; // whose pressure has acted
    return bw_flow_liquid_viscosity(sources->flow, faces->passable, dt, stats, err);
}

// The pressure on the surface by its tension, beside that of what stands outside. Level sets are smoother
// than particles, but the errors of single fits do not add up to nothing either: a drop at rest would drift.
static void add_tension(BwLiquidSources *sources, BwSurfaceTension *tension, double seconds)
{
    const BwLiquidDef *def = &sources->scene->liquid;
    double held = bw_capillary_held((double)def->surface_tension, (double)def->density,
                                    (double)sources->scene->cell, seconds);
    BwSurfaceTensionDef wanted = {.domain = &sources->flow->domain,
                                  .phi = sources->phi,
                                  .liquid = sources->liquid,
                                  .tension = (float)held,
                                  .density = def->density,
                                  .velocity = &sources->flow->velocity,
                                  .contact_angle = def->contact_angle,
                                  .is_noisy = true,
                                  .outside = sources->terms->surface};
    bw_surface_tension_find(tension, &wanted);
    sources->terms->surface = tension->pressure;
    sources->terms->reference = def->density;
    sources->terms->dt = (float)seconds;
}

BwResult bw_liquid_find_pressure(BwLiquidSources *sources, double time, double dt, double last_dt,
                                 BwError *err)
{
    return bw_applied_pressure_find(&sources->applied, &sources->flow->domain, sources->liquid,
                                    time - 0.5 * last_dt, time + 0.5 * dt, err);
}

// What the scene puts on the surface, beside what stands outside.
static void add_applied(BwLiquidSources *sources, float seconds)
{
    BwField *applied = &sources->applied.pressure;
    if (sources->terms->surface != NULL)
        bw_field_add(&sources->flow->domain, sources->terms->surface, applied);
    sources->terms->surface = applied;
    sources->terms->reference = sources->scene->liquid.density;
    sources->terms->dt = seconds;
}

void bw_liquid_press(BwLiquidSources *sources, BwSurfaceTension *tension, float seconds)
{
    bw_liquid_sources_push(sources, seconds);
    if (sources->applied.is_on)
        add_applied(sources, seconds);
    if (sources->scene->liquid.surface_tension > 0.0f)
        add_tension(sources, tension, (double)seconds);
}

BwResult bw_liquid_force(BwLiquidSources *sources, const BwFaceMasks *faces, const BwLiquidForces *forces,
                         BwStats *stats, BwError *err)
{
    if (sources->flow->def.confinement > 0.0f)
        bw_flow_confine(sources->flow, (double)forces->seconds);
    return bw_liquid_add_forces(sources, faces, forces, stats, err);
}

BwResult bw_liquid_project(BwLiquidSources *sources, const BwFaceMasks *faces, BwSurfaceTension *tension,
                           const BwLiquidForces *forces, double *divergence, BwStats *stats, BwError *err)
{
    BwFlow *flow = sources->flow;
    bw_liquid_press(sources, tension, forces->seconds);
    if (sources->is_divergent)
        sources->terms->divergence = &sources->divergence;
    BW_TRY(bw_flow_project(flow, stats, err));
    if (bw_flow_is_thick(flow))
        BW_TRY(bw_liquid_thicken(sources, faces, forces->dt, stats, err));
    if (flow->measures.is_due)
        *divergence = bw_divergence_max(&flow->domain, &flow->velocity);
    bw_liquid_sources_pull(sources);
    flow->pressure_dt = (double)forces->seconds;
    return BW_OK;
}

BwResult bw_liquid_limit_waves(const BwLiquidSources *sources, double time, double *limit, BwError *err)
{
    double wave_number = 3.14159265 / (double)sources->flow->grid->cell_size;
    float speed, acceleration;
    BW_TRY(bw_liquid_limits(sources, time, time, &speed, &acceleration, err));
    if (acceleration > 0.0f)
        *limit = fmin(*limit, turn_max / sqrt((double)acceleration * wave_number));
    return BW_OK;
}
