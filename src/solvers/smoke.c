// Smoke: a buoyant gas in air, in the Boussinesq approximation (Stam 1999; Fedkiw, Stam and Jensen 2001;
// Cline, Cardon and Egbert 2005, section 9). Density and temperature are advected by an incompressible
// velocity; tiles live where there is smoke, with an envelope of air solved around it.
//
// A step advects first, then applies forces, then projects. From the second step on the velocity is thus free
// of divergence while anything is advected along it; the first starts from the velocity that the scene gives.
#include "solvers/smoke.h"

#include "advect/predicted_total.h"
#include "domain/measure.h"
#include "domain/sides.h"
#include "flow/given_flow.h"
#include "flow/stage_clock.h"
#include "operate/buoyancy.h"
#include "operate/decay.h"
#include "operate/field_math.h"
#include "scene/curve.h"
#include "scene/fuel.h"
#include "scene/gas.h"

#include <math.h>

// Air this near to the ambient temperature, K, is not what keeps a tile awake.
static const float still_heat = 1.0f;

static BwFlowDef flow_def(const BwSolverSetup *setup)
{
    const BwSmokeDef *smoke = bw_scene_gas(setup->scene);
    bool is_thin = setup->scene->fluid == BW_FLUID_FIRE && setup->scene->fire.model == BW_FIRE_THIN;
    return (BwFlowDef){.scene = setup->scene,
                       .allocator = setup->allocator,
                       .pool = setup->pool,
                       .advection = smoke->advection,
                       .viscosity = smoke->viscosity,
                       .conductivity = smoke->conductivity,
                       .has_heat = true,
                       .subgrid = smoke->subgrid,
                       .confinement = smoke->confinement,
                       .envelope = smoke->envelope,
                       .wind = &smoke->wind,
                       .wind_rate = smoke->wind_rate,
                       .expands = bw_scene_expands(setup->scene),
                       .density = is_thin ? bw_flame_products_density(setup->scene) : BW_AIR_DENSITY,
                       .heat_capacity = BW_AIR_HEAT_CAPACITY};
}

static BwResult create_color(BwSmoke *smoke, BwError *err)
{
    if (!bw_scene_has_color(smoke->scene))
        return BW_OK;
    int count = bw_scene_colors(smoke->scene, NULL, 0);
    size_t size = (size_t)count * sizeof(float[3]);
    float(*colors)[3] = bw_alloc(&smoke->allocator, size, BW_ALIGN);
    if (colors == NULL)
        return bw_fail_memory(err);
    bw_scene_colors(smoke->scene, colors, count);
    BwResult result =
        bw_color_field_create(&smoke->color, smoke->flow.grid, (const float(*)[3])colors, count, err);
    bw_free(&smoke->allocator, colors, size, BW_ALIGN);
    return result;
}

static BwResult create_fields(BwSmoke *smoke, BwError *err)
{
    BwGrid *grid = smoke->flow.grid;
    float ambient = smoke->gas->ambient;
    BW_TRY(bw_field_create(&smoke->density, grid, BW_AT_CELL, 0.0f, err));
    BW_TRY(bw_field_create(&smoke->next_density, grid, BW_AT_CELL, 0.0f, err));
    BW_TRY(bw_field_create(&smoke->temperature, grid, BW_AT_CELL, ambient, err));
    BW_TRY(bw_field_create(&smoke->next_temperature, grid, BW_AT_CELL, ambient, err));
    BW_TRY(bw_mask_create(&smoke->sources, grid, err));
    BW_TRY(bw_burning_create(&smoke->burning, smoke->scene, grid, err));
    BW_TRY(bw_flame_create(&smoke->flame, &smoke->flow, err));
    BW_TRY(bw_solid_fuel_create(&smoke->solid_fuel, &smoke->flow, err));
    return create_color(smoke, err);
}

// What the scene's sources write to.
static BwSourceFields source_fields(BwSmoke *smoke)
{
    BwFlow *flow = &smoke->flow;
    const BwDomain *domain = &flow->domain;
    return (BwSourceFields){.domain = domain,
                            .velocity = &flow->velocity,
                            .flow = {&domain->flow[0], &domain->flow[1], &domain->flow[2]},
                            .density = &smoke->density,
                            .temperature = &smoke->temperature,
                            .ambient = smoke->gas->ambient,
                            .fuel = smoke->burning.is_used ? &smoke->burning.fuel
                                    : smoke->flame.is_used ? &smoke->flame.emitted
                                                           : NULL,
                            .hull = smoke->color.is_used ? &smoke->color.hull : NULL,
                            .color = smoke->color.amount,
                            .solids = flow->solids.poses,
                            .projected_areas = flow->projected_areas,
                            .coverage = flow->coverage};
}

static BwResult start(BwSmoke *smoke, BwWatch watch, BwError *err)
{
    BW_TRY(bw_flow_wake(&smoke->flow, err));
    BwSourceFields fields = source_fields(smoke);
    BW_TRY(bw_scene_fill(smoke->scene, &fields, watch, err));
    bw_color_divide(&smoke->color, &smoke->flow.domain, &smoke->density);
    bw_flame_start(&smoke->flame, &smoke->flow, &smoke->density, &smoke->temperature);
    if (bw_flow_is_given(&smoke->flow))
        BW_TRY(bw_given_flow_find(&smoke->flow, 0.0, err));
    bw_flow_start(&smoke->flow);
    return BW_OK;
}

static void smoke_destroy(void *solver)
{
    BwSmoke *smoke = solver;
    if (smoke == NULL)
        return;
    BwAllocator allocator = smoke->allocator;
    bw_field_destroy(&smoke->density);
    bw_field_destroy(&smoke->next_density);
    bw_field_destroy(&smoke->temperature);
    bw_field_destroy(&smoke->next_temperature);
    bw_mask_destroy(&smoke->sources);
    bw_burning_destroy(&smoke->burning);
    bw_flame_destroy(&smoke->flame);
    bw_solid_fuel_destroy(&smoke->solid_fuel);
    bw_color_field_destroy(&smoke->color);
    bw_flow_destroy(&smoke->flow);
    bw_free(&allocator, smoke, sizeof *smoke, BW_ALIGN);
}

static BwResult smoke_create(void **out, const BwSolverSetup *setup, BwError *err)
{
    *out = NULL;
    BwSmoke *smoke = bw_alloc_zeroed(&setup->allocator, sizeof *smoke, BW_ALIGN);
    if (smoke == NULL)
        return bw_fail_memory(err);
    smoke->scene = setup->scene;
    smoke->gas = bw_scene_gas(setup->scene);
    smoke->allocator = setup->allocator;
    smoke->stop = setup->stop;
    BwFlowDef def = flow_def(setup);
    BwResult result = bw_flow_create(&smoke->flow, &def, err);
    if (result == BW_OK)
        result = create_fields(smoke, err);
    if (result == BW_OK)
        result = start(smoke, setup->watch, err);
    if (result != BW_OK)
        smoke_destroy(smoke);
    else
        *out = smoke;
    return result;
}

static BwResult find_buoyancy(const BwSmoke *smoke, double time, BwBuoyancy *law, BwError *err)
{
    BwVec3 gravity;
    BW_TRY(bw_curve_vector_at(&smoke->scene->gravity, time, &gravity, err));
    *law = (BwBuoyancy){.density = &smoke->density,
                        .temperature = &smoke->temperature,
                        .weight = smoke->gas->buoyancy_weight,
                        .heat = bw_scene_lift(smoke->scene, bw_length(gravity)),
                        .ambient = smoke->gas->ambient,
                        .down = bw_normalize(gravity)};
    return BW_OK;
}

// The furthest that sources and surfaces are from the heat and density of the air.
typedef struct Extremes {
    float heat, density; // K, 1
} Extremes;

static BwResult add_emitter(const BwSmoke *smoke, const BwEmitterDef *emitter, double time, Extremes *most,
                            BwError *err)
{
    float heat, density, ambient = smoke->gas->ambient;
    if (emitter == NULL || !bw_is_on(emitter->start, emitter->stop, time))
        return BW_OK;
    BW_TRY(bw_curve_number_at(&emitter->temperature, time, ambient, &heat, err));
    BW_TRY(bw_curve_number_at(&emitter->density, time, 0.0f, &density, err));
    most->heat = fmaxf(most->heat, fabsf(heat - ambient));
    most->density = fmaxf(most->density, fabsf(density));
    return BW_OK;
}

static void add_surface(const BwSmoke *smoke, float temperature, Extremes *most)
{
    if (!isnan(temperature))
        most->heat = fmaxf(most->heat, fabsf(temperature - smoke->gas->ambient));
}

static BwResult find_extremes(const BwSmoke *smoke, double time, Extremes *most, BwError *err)
{
    const BwSceneDef *scene = smoke->scene;
    *most = (Extremes){
        .heat = fmaxf(bw_burning_heat_max(&smoke->burning, scene), bw_flame_heat_max(&smoke->flame))};
    for (int side = 0; side < BW_SIDE_COUNT && scene->has_walls; side++)
        add_surface(smoke, smoke->flow.domain.side[side].temperature, most);
    for (int n = 0; n < scene->emitter_count; n++)
        BW_TRY(add_emitter(smoke, &scene->emitters[n], time, most, err));
    for (int n = 0; n < scene->obstacle_count; n++) {
        add_surface(smoke, smoke->flow.solids.poses[n].temperature, most);
        BW_TRY(add_emitter(smoke, scene->obstacles[n].emit, time, most, err));
    }
    return BW_OK;
}

// Bounds on the next step, m/s and m/s^2.
static BwResult find_limits(const BwSmoke *smoke, double time, float *speed, float *acceleration,
                            BwError *err)
{
    BwBuoyancy law;
    Extremes most;
    BW_TRY(find_buoyancy(smoke, time, &law, err));
    BW_TRY(find_extremes(smoke, time, &most, err));
    BW_TRY(bw_solid_fuel_speed(&smoke->solid_fuel, time, speed, err));
    *speed = fmaxf(bw_flame_speed_max(&smoke->flame), *speed);
    *acceleration = bw_buoyancy_max(&law, &smoke->flow.domain, most.heat, most.density);
    return bw_flow_add_limits(&smoke->flow, time, speed, acceleration, err);
}

static BwResult smoke_step_limit(void *solver, double time, double *limit, BwError *err)
{
    BwSmoke *smoke = solver;
    float speed, acceleration;
    BW_TRY(find_limits(smoke, time, &speed, &acceleration, err));
    return bw_flow_step_limit(&smoke->flow, time, speed, acceleration, limit, err);
}

// Wakes tiles where the smoke may go, puts those to sleep that it has left.
static BwResult follow_smoke(BwSmoke *smoke, double time, double dt, BwStats *stats, BwError *err)
{
    BwFlow *flow = &smoke->flow;
    const BwSmokeDef *def = smoke->gas;
    BwPresence presence[3] = {{&smoke->density, 0.0f, def->threshold, true},
                              {&smoke->temperature, def->ambient, still_heat, false}};
    int count = 2;
    if (flow->is_whole_box)
        return BW_OK;
    if (smoke->burning.is_used)
        presence[count++] = (BwPresence){&smoke->burning.fuel, 0.0f, def->threshold, true};
    if (smoke->flame.is_used)
        presence[count++] = bw_flame_presence(&smoke->flame);
    BW_TRY(bw_flow_plan_tiles(flow, presence, count, time, dt, err));
    stats->removed[BW_REMOVED_SLEEP] += bw_sleeping_total(flow->grid, &smoke->density, &flow->plan);
    return bw_follow_apply(&flow->plan, flow->grid, err);
}

// Finds the cells that emitters will fill up again, where they were last filled.
static void mark_sources(BwSmoke *smoke, double time)
{
    BwSourceFields fields = source_fields(smoke);
    bw_mask_clear(&smoke->flow.domain, &smoke->sources);
    bw_scene_mark_sources(smoke->scene, &fields, time, &smoke->sources);
}

enum { SCALARS = 7 }; // density, temperature, coordinates of colour, what burns (two fields at most)

// They share their paths.
static BwAdvectSet scalars(BwSmoke *smoke, BwAdvectField list[SCALARS])
{
    list[0] = (BwAdvectField){&smoke->density, &smoke->next_density};
    list[1] = (BwAdvectField){&smoke->temperature, &smoke->next_temperature};
    for (int n = 0; n < smoke->color.hull.dimension; n++)
        list[2 + n] = (BwAdvectField){smoke->color.amount[n], smoke->color.next_amount[n]};
    int count = bw_burning_list(&smoke->burning, list, 2 + smoke->color.hull.dimension);
    bool is_solenoidal = !smoke->flow.def.expands; // what expands is no longer so much a volume
    return (BwAdvectSet){.fields = list,
                         .count = bw_flame_list(&smoke->flame, list, count),
                         .valid = &smoke->flow.domain.scalar,
                         .sources = &smoke->sources,
                         .keeps_total =
                             is_solenoidal && bw_schemes[bw_flow_scheme(&smoke->flow)].keeps_totals,
                         .entry = BW_ENTERS_BACKGROUND};
}

static void take_over_scalars(BwSmoke *smoke)
{
    bw_color_swap(&smoke->color);
    bw_burning_take_over(&smoke->burning);
    bw_field_swap(&smoke->density, &smoke->next_density);
    bw_field_swap(&smoke->temperature, &smoke->next_temperature);
    bw_flame_take_over(&smoke->flame, &smoke->flow, &smoke->density, &smoke->temperature);
}

static BwResult prescribe(BwSmoke *smoke, double time, BwError *err)
{
    BwSourceFields fields = source_fields(smoke);
    return bw_flow_prescribe(&smoke->flow, &fields, time, err);
}

// The first half of a step by reflection (Zehnder, Narain and Thomaszewski 2018, An Advection-Reflection
// Solver for Detail-Preserving Fluid Simulation). The mid-step velocity is reflected at its projection, u <-
// 2 P(u) - u, so that the energy which a projection takes away is kept; the second half of the step advects
// what is reflected.
//
// Reflection doubles what acts between bw_flow_begin_reflection and the projection, so forces act for dt / 2
// there, and become those of the whole step together with the pressure that answers them. Gas at rest stays
// at rest, however strong the forces; forces outside of the reflection would be advected unbalanced, and
// waves in layered air would grow. Density and temperature are advected for dt / 2 as well, for the mid-step
// buoyancy: with their whole step along the mid-step velocity that is Verlet's scheme, in which waves neither
// grow nor decay.
static BwResult step_to_middle(BwSmoke *smoke, BwBuoyancy *law, double time, double dt, BwStats *stats,
                               BwError *err)
{
    BwFlow *flow = &smoke->flow;
    bool is_buoyant = law->heat != 0.0f || law->weight != 0.0f;
    BwAdvectField list[SCALARS];
    BwAdvectSet set = scalars(smoke, list);
    set.keeps_total = false; // they are looked at, and thrown away
    set.count = 2;           // colour is not
    bw_flow_advect_first_half(flow, is_buoyant ? &set : NULL, dt);
    BW_TRY(prescribe(smoke, time, err)); // prescribed faces are not reflected
    bw_flow_begin_reflection(flow);
    if (is_buoyant) {
        BwBuoyancy middle = *law;
        middle.density = &smoke->next_density;
        middle.temperature = &smoke->next_temperature;
        bw_add_buoyancy(&flow->domain, &flow->velocity, &middle, (float)(0.5 * dt));
    }
    BW_TRY(bw_flow_add_forces(flow, BW_FORCES_DRIVE, time, 0.5 * dt, err));
    bw_flow_confine(flow, 0.5 * dt);
    bw_flow_predict_viscosity(flow, dt);
    bw_flow_set_wall_velocity(flow);
    BW_TRY(prescribe(smoke, time, err));
    BW_TRY(bw_flow_project(flow, stats, err));
    bw_flow_reflect(flow);
    return BW_OK;
}

// Conduction, sources and decay change density and temperature after the mid-step force. The correction is
// trapezoidal: dt / 2 of the old buoyancy is taken off here, dt / 2 of the new one added in finish_forces.
static BwResult advect_by_reflection(BwSmoke *smoke, double time, double dt, BwStats *stats, BwError *err)
{
    BwFlow *flow = &smoke->flow;
    BwBuoyancy law;
    BW_TRY(find_buoyancy(smoke, time, &law, err));
    BW_TRY(step_to_middle(smoke, &law, time, dt, stats, err));
    BwAdvectField list[SCALARS];
    BwAdvectSet set = scalars(smoke, list);
    bw_flow_advect_scalars(flow, &set, dt);
    take_over_scalars(smoke);
    bw_flow_advect_second_half(flow, dt);
    bw_add_buoyancy(&flow->domain, &flow->velocity, &law, (float)(-0.5 * dt));
    return BW_OK;
}

static void advect_at_once(BwSmoke *smoke, double dt)
{
    BwAdvectField list[SCALARS];
    BwAdvectSet set = scalars(smoke, list);
    bw_flame_advect(&smoke->flame, &smoke->flow, &smoke->density, &smoke->temperature, dt);
    bw_flow_advect(&smoke->flow, &set, dt);
    take_over_scalars(smoke);
}

// Advection makes and loses nothing but at the sides and at the rim, as far as its scheme keeps totals, so
// the difference is what left. Where there is no way out it is the fault of solids that move, or else the
// scheme's, and stays to be seen.
static void count_what_left(const BwSmoke *smoke, BwStats *stats)
{
    const BwFlow *flow = &smoke->flow;
    double gone = smoke->mass_before - smoke->mass_advected;
    if (!flow->is_whole_box || bw_box_has_way_out(&flow->domain))
        stats->removed[BW_REMOVED_OPEN] += gone;
    else if (flow->domain.has_prediction)
        stats->removed[BW_REMOVED_SOLID] += gone;
}

static BwResult advect(BwSmoke *smoke, double time, double dt, BwStats *stats, BwError *err)
{
    const BwDomain *domain = &smoke->flow.domain;
    smoke->mass_before = bw_smoke_mass(smoke);
    bw_flow_thin_out(&smoke->flow, &smoke->density,
                     0.5 * dt); // half where it comes from, half where it gets to
    bw_color_premultiply(&smoke->color, domain, &smoke->density);
    if (bw_flow_reflects(&smoke->flow))
        BW_TRY(advect_by_reflection(smoke, time, dt, stats, err));
    else
        advect_at_once(smoke, dt);
    bw_flow_thin_out(&smoke->flow, &smoke->density, 0.5 * dt);
    bw_flow_begin_expansion(&smoke->flow);
    bw_color_limit(&smoke->color, domain, &smoke->density, &smoke->sources);
    smoke->mass_advected =
        domain->has_prediction ? bw_predicted_total(domain, &smoke->density) : bw_smoke_mass(smoke);
    count_what_left(smoke, stats);
    return BW_OK;
}

static BwDecayFields decay_fields(BwSmoke *smoke)
{
    return (BwDecayFields){.density = &smoke->density,
                           .temperature = &smoke->temperature,
                           .ambient = smoke->gas->ambient,
                           .others = smoke->color.amount,
                           .other_count = smoke->color.hull.dimension};
}

// All that is advected: density and temperature, then colour, then what burns.
static int list_scalars(BwSmoke *smoke, BwField *fields[SCALARS])
{
    int count = 0;
    fields[count++] = &smoke->density;
    fields[count++] = &smoke->temperature;
    for (int n = 0; n < smoke->color.hull.dimension; n++)
        fields[count++] = smoke->color.amount[n];
    if (smoke->burning.is_used) {
        fields[count++] = &smoke->burning.fuel;
        fields[count++] = &smoke->burning.flame;
    }
    if (smoke->flame.is_used)
        fields[count++] = &smoke->flame.reaction;
    return count;
}

// Takes away the smoke that solids moved over, and gives the cells they left what is beside them.
static void clear_solids(BwSmoke *smoke, BwStats *stats)
{
    BwFlow *flow = &smoke->flow;
    BwDecayFields decay = decay_fields(smoke);
    BwField *fields[SCALARS];
    int count = list_scalars(smoke, fields);
    if (smoke->scene->obstacle_count == 0)
        return;
    decay.others = fields + 2;
    decay.other_count = count - 2;
    bw_clear_solids(&flow->domain, &decay);
    if (!bw_scene_solids_have_moved(&flow->solids))
        return;
    bw_fill_uncovered(&flow->solid_flow, &flow->domain, fields, count);
    bw_level_swept(&flow->domain, &smoke->density, fields + 2, smoke->color.hull.dimension);
    stats->removed[BW_REMOVED_SOLID] += smoke->mass_advected - bw_smoke_mass(smoke);
}

// What decays, what the air outside brings, and what emitters, sinks and pumps do.
static BwResult run_sources(BwSmoke *smoke, double time, double dt, BwStats *stats, BwError *err)
{
    BwFlow *flow = &smoke->flow;
    const BwSmokeDef *def = smoke->gas;
    BwDecayFields decay = decay_fields(smoke);
    stats->removed[BW_REMOVED_DISSIPATED] +=
        bw_decay(&flow->domain, &decay, def->dissipation, def->cooling, (float)dt);
    stats->removed[BW_REMOVED_OPEN] +=
        bw_impose_outside(&flow->domain, &flow->velocity, &smoke->density, &smoke->temperature, def->ambient);
    BwSourceFields fields = source_fields(smoke);
    BW_TRY(bw_scene_run_sources(smoke->scene, &fields, time, dt, stats, err));
    bw_color_divide(&smoke->color, &flow->domain, &smoke->density);
    return BW_OK;
}

static BwResult add_forces(BwSmoke *smoke, double time, double dt, BwError *err)
{
    BwFlow *flow = &smoke->flow;
    BwBuoyancy law;
    BW_TRY(find_buoyancy(smoke, time, &law, err));
    bw_add_buoyancy(&flow->domain, &flow->velocity, &law, (float)dt);
    BW_TRY(bw_flow_add_forces(flow, BW_FORCES_DRIVE | BW_FORCES_DRAG, time, dt, err));
    bw_flow_add_wind(flow, dt);
    bw_flame_hide_jump(&smoke->flame, flow);
    bw_flow_confine(flow, dt);
    return BW_OK;
}

// Drag acts once, at the end: reflected, it could reverse the flow.
static BwResult finish_forces(BwSmoke *smoke, double time, double dt, BwError *err)
{
    BwFlow *flow = &smoke->flow;
    BwBuoyancy law;
    BW_TRY(find_buoyancy(smoke, time, &law, err));
    bw_add_buoyancy(&flow->domain, &flow->velocity, &law, (float)(0.5 * dt));
    BW_TRY(bw_flow_add_forces(flow, BW_FORCES_DRAG, time, dt, err));
    bw_flow_add_wind(flow, dt);
    return BW_OK;
}

// Velocity: forces, friction and pressure.
static BwResult drive_and_project(BwSmoke *smoke, double time, double dt, BwStageClock *clock, BwError *err)
{
    BwFlow *flow = &smoke->flow;
    if (bw_flow_is_given(flow)) {
        BW_TRY(bw_given_flow_find(flow, time + dt, err));
        flow->max_speed = bw_velocity_max(&flow->domain, &flow->velocity);
        return BW_OK;
    }
    bw_stage(clock, "forces");
    BW_TRY(bw_flow_reflects(flow) ? finish_forces(smoke, time, dt, err) : add_forces(smoke, time, dt, err));
    bw_flow_set_wall_velocity(flow);
    if (flow->has_friction) {
        bw_stage(clock, "viscosity");
        BW_TRY(bw_flow_viscosity(flow, dt, clock->stats, err));
    }
    if (flow->def.subgrid > 0.0f) {
        bw_stage(clock, "subgrid");
        bw_flow_subgrid_friction(flow, dt);
    }
    bw_flame_show_jump(&smoke->flame, flow);
    bw_flame_press(&smoke->flame, flow, dt);
    BW_TRY(bw_obey_stop(smoke->stop, err));
    BW_TRY(prescribe(smoke, time, err));
    bw_stage(clock, "pressure");
    return bw_flow_project_last(flow, time, dt, clock->stats, err);
}

// A program may have set them since the last step.
static void take_numbers(BwSmoke *smoke)
{
    const BwSmokeDef *def = smoke->gas;
    smoke->flow.def.confinement = def->confinement;
    smoke->flow.def.viscosity = def->viscosity;
    smoke->flow.def.subgrid = def->subgrid;
}

// The gas around solids that burn.
static BwSurfaceGas surface_gas(BwSmoke *smoke)
{
    bool is_thin = smoke->flame.is_used;
    return (BwSurfaceGas){.divergence = &smoke->flow.divergence,
                          .temperature = &smoke->temperature,
                          .fuel = is_thin ? NULL : &smoke->burning.fuel,
                          .phi = is_thin ? &smoke->flame.phi : NULL,
                          .lit = is_thin && smoke->flame.law.quench > 0.0f ? &smoke->flame.lit : NULL,
                          .reaction = &smoke->flame.reaction,
                          .emitted = &smoke->flame.emitted};
}

// Gives the smoke that was made, m^3.
static double burn(BwSmoke *smoke, double time, double dt, BwStats *stats)
{
    BwSourceFields sources = source_fields(smoke);
    if (smoke->burning.is_used) {
        bw_mask_clear(&smoke->flow.domain, &smoke->burning.heated);
        bw_scene_mark_heated(smoke->scene, &sources, time, &smoke->burning.heated);
    }
    BwField *density = &smoke->density, *temperature = &smoke->temperature;
    return bw_burning_react(&smoke->burning, &smoke->flow, density, temperature, dt, stats) +
           bw_flame_react(&smoke->flame, &smoke->flow, density, temperature, dt, stats);
}

// Velocity: what the scene gives, of the middle of the step. The faces of walls and solids have their own.
static BwResult take_given_flow(BwSmoke *smoke, double time, double dt, BwStats *stats, BwError *err)
{
    BwFlow *flow = &smoke->flow;
    BW_TRY(bw_given_flow_find(flow, time + 0.5 * dt, err));
    BW_TRY(follow_smoke(smoke, time, dt, stats, err));
    if (!flow->is_whole_box && flow->plan.wake_count > 0)
        BW_TRY(bw_given_flow_find(flow, time + 0.5 * dt, err));
    return BW_OK;
}

static BwResult smoke_step(void *solver, double time, double dt, BwStats *stats, BwError *err)
{
    BwSmoke *smoke = solver;
    BwFlow *flow = &smoke->flow;
    BwStageClock clock = bw_stage_clock(stats, flow->pool);
    bw_stage(&clock, "tiles");
    take_numbers(smoke);
    bw_flow_begin_measures(flow, time, dt, stats);
    BW_TRY(bw_flow_look_up_wind(flow, time, err));
    if (bw_flow_is_given(flow))
        BW_TRY(take_given_flow(smoke, time, dt, stats, err));
    else
        BW_TRY(follow_smoke(smoke, time, dt, stats, err));
    mark_sources(smoke, time); // before solids that emit move on
    BW_TRY(bw_flow_move_solids(flow, time, dt, err));
    BW_TRY(bw_obey_stop(smoke->stop, err));
    bw_stage(&clock, "advect");
    BW_TRY(advect(smoke, time, dt, stats, err));
    BW_TRY(bw_obey_stop(smoke->stop, err));
    bw_stage(&clock, "solids");
    BW_TRY(bw_flow_set_walls(flow, time + dt, err));
    bw_flow_label(flow);
    clear_solids(smoke, stats);
    BW_TRY(bw_obey_stop(smoke->stop, err));
    if (smoke->solid_fuel.scene != NULL) {
        bw_stage(&clock, "burning");
        BwSurfaceGas gas = surface_gas(smoke);
        BW_TRY(bw_solid_fuel_prepare(&smoke->solid_fuel, flow, &gas, time, dt, err));
    }
    if (smoke->flame.is_used) {
        bw_stage(&clock, "front");
        bw_flame_settle(&smoke->flame, flow);
    }
    bw_stage(&clock, "sources");
    BW_TRY(bw_flow_add_charges(flow, time, dt, err));
    BW_TRY(run_sources(smoke, time, dt, stats, err));
    if (smoke->burning.is_used || smoke->flame.is_used) {
        bw_stage(&clock, "burning");
        BwSurfaceGas gas = surface_gas(smoke);
        bw_solid_fuel_release(&smoke->solid_fuel, flow, &gas, dt, stats);
        stats->emitted += burn(smoke, time, dt, stats);
    }
    if (flow->has_conduction) {
        bw_stage(&clock, "conduction");
        BW_TRY(bw_flow_conduct(flow, &smoke->temperature, NULL, stats, err));
    }
    BW_TRY(bw_obey_stop(smoke->stop, err));
    BW_TRY(drive_and_project(smoke, time, dt, &clock, err));
    bw_stage(&clock, NULL);
    return BW_OK;
}

static BwResult smoke_drive(void *solver, double time, BwDrive *drive, BwError *err)
{
    BwSmoke *smoke = solver;
    float speed; // counts the flow's own
    BW_TRY(bw_flow_drive(&smoke->flow, time, drive, err));
    BW_TRY(bw_solid_fuel_speed(&smoke->solid_fuel, time, &speed, err));
    drive->speed = fmaxf(drive->speed, fmaxf(bw_flame_speed_max(&smoke->flame), speed));
    return find_limits(smoke, time, &speed, &drive->acceleration, err); // forces, heat and smoke
}

static BwFlow *smoke_flow(void *solver)
{
    return &((BwSmoke *)solver)->flow;
}

// Smoke and fire share their recipe; what burns is there for fire alone.
#define RECIPE                                                                                               \
    .create = smoke_create, .destroy = smoke_destroy, .step_limit = smoke_step_limit, .step = smoke_step,    \
    .measure = bw_smoke_measure, .frame = bw_smoke_frame, .flow = smoke_flow,                                \
    .state_fields = bw_smoke_state_fields, .drive = smoke_drive, .check = bw_smoke_check,                    \
    .save = bw_smoke_save, .load = bw_smoke_load, .agree = bw_smoke_agree

const BwSolverType bw_smoke_solver = {.fluid = BW_FLUID_SMOKE, RECIPE};
const BwSolverType bw_fire_solver = {.fluid = BW_FLUID_FIRE, RECIPE};
