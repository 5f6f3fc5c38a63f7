// A liquid carried by a level set (Foster and Fedkiw 2001; Enright, Marschner and Fedkiw 2002; chapter 3 of
// Fedkiw 2003): phi, the signed distance to its surface, moves with the flow, alone or kept true by particles
// on both of its sides; the grid advects the velocity. Its surface is as smooth as phi, which particles that
// carry the liquid itself are not.
//
// As in liquids carried by particles, velocities are those of the middle of a step (Verlet 1967): forces act
// from the middle of the last step to that of this one, and the surface then moves by the velocity that
// results.
#include "solvers/levelset.h"

#include "domain/measure.h"
#include "flow/explicit_motion.h"
#include "flow/fills.h"
#include "flow/given_flow.h"
#include "flow/stage_clock.h"
#include "operate/field_math.h"
#include "operate/level_emit.h"
#include "operate/level_volume.h"
#include "operate/place_fill.h"
#include "scene/carried.h"

#include <math.h>

// Cells of air that are awake around the liquid, beyond what it may cross in a step: the band, and one for
// the stencils that look out of it.
enum { ENVELOPE_CELLS = BW_LEVELSET_BAND + 1 };

// Layers of velocity around the liquid, beyond what it may cross in a step.
enum { LAYERS_MIN = 2 };

static bool traces(const BwSceneDef *scene)
{
    return scene->liquid.advection == BW_SURFACE_SEMI_LAGRANGIAN ||
           scene->liquid.advection == BW_SURFACE_MACCORMACK;
}

static BwFlowDef flow_def(const BwSolverSetup *setup)
{
    const BwLiquidDef *liquid = &setup->scene->liquid;
    bool is_plain = liquid->advection == BW_SURFACE_SEMI_LAGRANGIAN;
    return (BwFlowDef){.scene = setup->scene,
                       .allocator = setup->allocator,
                       .pool = setup->pool,
                       .advection = is_plain ? BW_ADVECT_SEMI_LAGRANGIAN : BW_ADVECT_MACCORMACK,
                       .is_viscous = bw_scene_is_viscous(setup->scene) || bw_liquid_is_elastic(setup->scene),
                       .elastic = (double)liquid->elastic.modulus / (double)liquid->density,
                       .law = bw_liquid_viscosity_law(setup->scene),
                       .couples_stress = liquid->viscosity_scheme == BW_VISCOSITY_COUPLED,
                       .confinement = liquid->confinement,
                       .envelope = ENVELOPE_CELLS * setup->scene->cell,
                       .density = (double)liquid->density};
}

static BwResult create_surface(BwLevelset *level, BwError *err)
{
    BwFlow *flow = &level->flow;
    float band = bw_levelset_band(level);
    BW_TRY(bw_field_create(&level->phi, flow->grid, BW_AT_CELL, band, err));
    BW_TRY(bw_field_create(&level->next_phi, flow->grid, BW_AT_CELL, band, err));
    BW_TRY(bw_field_create(&level->open, flow->grid, BW_AT_CELL, 1.0f, err));
    BW_TRY(bw_notes_create(&level->open_measured, flow->grid, err));
    BW_TRY(bw_mask_create(&level->liquid, flow->grid, err));
    BW_TRY(bw_mask_create(&level->known, flow->grid, err));
    BW_TRY(bw_mask_create(&level->front, flow->grid, err));
    BW_TRY(bw_distance_create(&level->distance, flow->grid, err));
    level->traces = traces(level->scene);
    if (!level->traces)
        BW_TRY(bw_level_advector_create(&level->advector, flow->grid, err));
    level->has_regions = level->scene->liquid.volume_correction > 0.0f;
    if (level->has_regions)
        BW_TRY(bw_level_regions_create(&level->regions, &level->allocator, flow->grid, err));
    level->has_particles = level->scene->liquid.method == BW_LIQUID_PARTICLE_LEVELSET;
    BwParticlesDef particles = {.allocator = level->allocator, .grid = flow->grid, .pool = flow->pool};
    return level->has_particles ? bw_particles_create(&level->particles, &particles, err) : BW_OK;
}

static BwResult create_parts(BwLevelset *level, BwError *err)
{
    BwFlow *flow = &level->flow;
    BwVec3 none = {0};
    BW_TRY(create_surface(level, err));
    BW_TRY(bw_face_masks_create(&level->faces, flow->grid, err));
    BW_TRY(bw_level_flow_create(&level->above, flow->grid, err));
    BW_TRY(bw_velocity_create(&level->carried, flow->grid, none, err));
    level->has_tension = level->scene->liquid.surface_tension > 0.0f;
    if (level->has_tension)
        BW_TRY(bw_surface_tension_create(&level->tension, flow->grid, flow->pool,
                                         level->scene->obstacle_count > 0, err));
    if (bw_liquid_is_elastic(level->scene))
        BW_TRY(bw_grid_strain_create(&level->strain, flow->grid, err));
    level->terms = (BwFluidTerms){.liquid = &level->liquid, .phi = &level->phi};
    flow->domain.terms = &level->terms;
    BwLiquidSourcesDef sources = {.flow = flow,
                                  .phi = &level->phi,
                                  .liquid = &level->liquid,
                                  .terms = &level->terms,
                                  .in_liquid_alone = true};
    return bw_liquid_sources_create(&level->sources, &sources, err);
}

// Labels of solids and of the liquid, and the liquid's velocity on all faces around it.
static void look_around(BwLevelset *level)
{
    bw_levelset_label(level);
    bw_find_passable_faces(&level->faces, &level->flow.domain);
}

static void extend_velocity(BwLevelset *level, int layers)
{
    bw_extrapolate(&level->faces, &level->flow.domain,
                   (BwExtrapolation){BW_FROM_FLUID, layers, bw_levelset_band(level), false},
                   &level->flow.velocity);
}

static BwResult take_initial_velocity(BwLevelset *level, BwWatch watch, BwError *err)
{
    const BwPlaceCurve *velocity = &level->scene->initial.velocity;
    BwTask task = bw_task(watch, "filling initial.velocity");
    for (int a = 0; a < level->scene->dimension && velocity->function != NULL; a++)
        BW_TRY(bw_fill_from_place(velocity, &level->flow.velocity.u[a], a, &task, err));
    return BW_OK;
}

static void add_fill(BwLevelset *level, const BwFillDef *fill)
{
    BwShape shape = bw_fill_beyond_walls(level->scene, &fill->shape, BW_LEVELSET_BAND * level->scene->cell);
    BwLevelStamp stamp = {.shape = &shape, .has_velocity = true, .velocity = fill->velocity};
    bw_level_add(&level->phi, &level->flow.velocity, &level->flow.domain, &stamp, bw_levelset_band(level));
}

static BwResult start(BwLevelset *level, BwWatch watch, BwError *err)
{
    const BwSceneDef *scene = level->scene;
    BwFlow *flow = &level->flow;
    BW_TRY(bw_flow_wake(flow, err));
    for (int n = 0; n < scene->fill_count; n++)
        add_fill(level, &scene->fills[n]);
    BW_TRY(take_initial_velocity(level, watch, err));
    level->must_measure_solids = true;
    bw_levelset_label(level);
    bw_levelset_settle_surface(level);
    bw_levelset_label(level);
    BW_TRY(bw_levelset_seed(level, err));
    level->given = bw_level_volume(&level->phi, &level->open, &flow->domain);
    level->outside = bw_level_volume_outside(&level->phi, &level->open, &flow->domain);
    BW_TRY(bw_levelset_find_regions(level, 0.0, err));
    if (bw_flow_is_given(flow))
        BW_TRY(bw_given_flow_find(flow, 0.0, err));
    flow->max_speed = bw_velocity_max(&flow->domain, &flow->velocity);
    return bw_liquid_sources_start(&level->sources, err);
}

static void levelset_destroy(void *solver)
{
    BwLevelset *level = solver;
    if (level == NULL)
        return;
    BwAllocator allocator = level->allocator;
    bw_particles_destroy(&level->particles);
    bw_face_masks_destroy(&level->faces);
    bw_level_flow_destroy(&level->above);
    bw_distance_destroy(&level->distance);
    bw_level_advector_destroy(&level->advector);
    bw_level_regions_destroy(&level->regions);
    bw_level_fronts_destroy(&level->fronts);
    bw_field_destroy(&level->phi);
    bw_field_destroy(&level->next_phi);
    bw_field_destroy(&level->open);
    bw_notes_destroy(&level->open_measured);
    bw_mask_destroy(&level->liquid);
    bw_mask_destroy(&level->known);
    bw_mask_destroy(&level->front);
    bw_velocity_destroy(&level->carried);
    bw_surface_tension_destroy(&level->tension);
    bw_grid_strain_destroy(&level->strain);
    bw_liquid_sources_destroy(&level->sources);
    bw_flow_destroy(&level->flow);
    bw_free(&allocator, level, sizeof *level, BW_ALIGN);
}

static BwResult levelset_create(void **out, const BwSolverSetup *setup, BwError *err)
{
    *out = NULL;
    BwLevelset *level = bw_alloc_zeroed(&setup->allocator, sizeof *level, BW_ALIGN);
    if (level == NULL)
        return bw_fail_memory(err);
    level->scene = setup->scene;
    level->allocator = setup->allocator;
    level->stop = setup->stop;
    level->fronts.allocator = setup->allocator;
    BwFlowDef def = flow_def(setup);
    BwResult result = bw_flow_create(&level->flow, &def, err);
    if (result == BW_OK)
        result = create_parts(level, err);
    if (result == BW_OK)
        result = start(level, setup->watch, err);
    if (result != BW_OK)
        levelset_destroy(level);
    else
        *out = level;
    return result;
}

static BwResult levelset_step_limit(void *solver, double time, double *limit, BwError *err)
{
    return bw_liquid_step_limit(&((BwLevelset *)solver)->sources, time, limit, err);
}

// Wakes tiles where the liquid may get to; puts those to sleep that it cannot, if told to.
static BwResult follow_liquid(BwLevelset *level, int reach, bool may_sleep, BwError *err)
{
    BwFlow *flow = &level->flow;
    float band = bw_levelset_band(level);
    BwPresence inside = {&level->phi, band, band, false};
    BW_TRY(bw_reserve(&flow->allocator, (void **)&flow->spans, &flow->span_capacity, flow->grid->tile_count,
                      sizeof *flow->spans, err));
    bw_find_occupied(&flow->domain, &inside, 1, flow->spans);
    BW_TRY(bw_follow_plan(&flow->plan, flow->grid, flow->spans, level->sources.boxes,
                          level->sources.box_count, reach + ENVELOPE_CELLS, err));
    if (!may_sleep)
        flow->plan.sleep_count = 0;
    return bw_follow_apply(&flow->plan, flow->grid, err);
}

// The grid at the start of a step: tiles, solids with their speed, walls, labels, and velocity around the
// liquid.
static BwResult prepare(BwLevelset *level, int reach, double time, double dt, BwError *err)
{
    BwFlow *flow = &level->flow;
    BW_TRY(follow_liquid(level, reach, false, err));
    BW_TRY(bw_flow_aim_solids(flow, time, dt, err));
    BW_TRY(bw_flow_set_walls(flow, time + dt, err));
    look_around(level);
    extend_velocity(level, LAYERS_MIN);
    return BW_OK;
}

// The velocity in the middle of the step: forces, walls and solids, sources, pressure.
static BwResult find_velocity(BwLevelset *level, const BwLiquidForces *forces, BwStats *stats, BwError *err)
{
    BW_TRY(bw_liquid_force(&level->sources, &level->faces, forces, stats, err));
    if (bw_liquid_is_elastic(level->scene))
        bw_levelset_push_elastically(level, forces);
    BW_TRY(bw_liquid_project(&level->sources, &level->faces, &level->tension, forces, &level->divergence,
                             stats, err));
    level->last_dt = forces->dt;
    return BW_OK;
}

// The velocity along itself, past the solids as they have moved.
static void carry_velocity(BwLevelset *level, double dt)
{
    BwFlow *flow = &level->flow;
    bw_flow_advect_known(flow, level->faces.known, &flow->velocity, &level->carried, dt);
    bw_velocity_swap(&flow->velocity, &level->carried);
}

// The surface where it is at the end of the step: a distance again, with what sources gave and sinks took.
static BwResult settle(BwLevelset *level, double time, double dt, BwStageClock *clock, BwError *err)
{
    BwFlow *flow = &level->flow;
    int reach;
    bw_stage(clock, "redistance");
    bw_levelset_label(level);
    BW_TRY(bw_levelset_exchange(level, clock->stats, err));
    bw_levelset_settle_surface(level);
    level->steps++;
    BW_TRY(bw_levelset_seed(level, err));
    bw_stage(clock, "tiles");
    flow->max_speed = bw_velocity_max(&flow->domain, &flow->velocity);
    BW_TRY(bw_liquid_reach(&level->sources, time + dt, dt, &reach, err));
    BW_TRY(follow_liquid(level, reach, true, err));
    flow->must_measure_solids |= flow->plan.wake_count > 0;
    bw_levelset_label(level);
    flow->max_speed = bw_velocity_max(&flow->domain, &flow->velocity);
    bw_stage(clock, "surface");
    bw_levelset_account_outside(level, clock->stats);
    BW_TRY(bw_levelset_find_regions(level, dt, err));
    bw_stage(clock, NULL);
    return BW_OK;
}

// The given velocity of the middle of the step, also where it is faster than before and leads further.
static BwResult take_given_flow(BwLevelset *level, double time, double dt, BwError *err)
{
    int reach, further;
    BW_TRY(bw_liquid_reach(&level->sources, time, dt, &reach, err));
    BW_TRY(prepare(level, reach, time, dt, err));
    BW_TRY(bw_given_flow_find(&level->flow, time + 0.5 * dt, err));
    BW_TRY(bw_liquid_reach(&level->sources, time, dt, &further, err));
    if (further > reach) {
        BW_TRY(prepare(level, further, time, dt, err));
        BW_TRY(bw_given_flow_find(&level->flow, time + 0.5 * dt, err));
    }
    bw_given_flow_know(&level->flow, &level->faces);
    return BW_OK;
}

// A step along a flow that the scene gives: only the surface moves.
static BwResult given_step(BwLevelset *level, double time, double dt, BwStats *stats, BwError *err)
{
    BwFlow *flow = &level->flow;
    BwStageClock clock = bw_stage_clock(stats, flow->pool);
    bw_stage(&clock, "tiles");
    bw_flow_begin_measures(flow, time, dt, stats);
    BW_TRY(take_given_flow(level, time, dt, err));
    BW_TRY(bw_obey_stop(level->stop, err));
    BW_TRY(bw_levelset_let_air_in(level, time, dt, err));
    bw_levelset_account(level, dt, stats);
    level->last_dt = dt;
    bw_stage(&clock, "surface");
    BW_TRY(bw_flow_land_solids(flow, time, dt, err));
    level->must_measure_solids |= bw_scene_solids_have_moved(&flow->solids);
    BW_TRY(bw_levelset_move_surface(level, dt, stats, err));
    BW_TRY(bw_obey_stop(level->stop, err));
    return settle(level, time, dt, &clock, err);
}

// Blends the air's velocity with what surface controls want. That moves the surface; by how much of the
// volume, its regions are told.
static void control_air(BwLevelset *level)
{
    BwFlow *flow = &level->flow;
    const BwLiquidControls *controls = &level->sources.controls;
    const BwLevelLiquid liquid = {&level->phi, &level->open, &flow->domain};
    bool is_told = false;
    for (int n = 0; n < controls->count && level->has_regions; n++)
        is_told |= controls->list[n].blend > 0.0f;
    if (is_told)
        bw_velocity_copy(&flow->domain, &flow->velocity, &level->carried);
    bw_control_air(&flow->domain, &level->faces, controls->list, controls->count, &flow->velocity);
    if (is_told)
        bw_level_regions_find_blown(&level->regions, &liquid, &level->carried, &flow->velocity);
}

static BwResult part_of_step(void *solver, double time, double dt, BwStats *stats, BwError *err)
{
    BwLevelset *level = solver;
    BwFlow *flow = &level->flow;
    BwStageClock clock = bw_stage_clock(stats, flow->pool);
    BwLiquidForces forces = {.time = time, .dt = dt};
    int reach;
    bw_stage(&clock, "tiles");
    bw_flow_begin_measures(flow, time, dt, stats);
    BW_TRY(bw_liquid_find_pressure(&level->sources, time, dt, level->last_dt, err));
    BW_TRY(bw_liquid_reach(&level->sources, time, dt, &reach, err));
    BW_TRY(bw_liquid_sources_plan(&level->sources, time, dt, err));
    BW_TRY(prepare(level, reach, time, dt, err));
    BW_TRY(bw_liquid_sources_act(&level->sources, time, dt, err));
    BW_TRY(bw_liquid_look_up_forces(flow, level->last_dt, &forces, err));
    BW_TRY(bw_obey_stop(level->stop, err));
    bw_stage(&clock, "pressure");
    BW_TRY(find_velocity(level, &forces, stats, err));
    BW_TRY(bw_obey_stop(level->stop, err));
    bw_stage(&clock, "extrapolate");
    bw_liquid_sources_open_mouths(&level->sources);
    extend_velocity(level, reach + LAYERS_MIN);
    bw_slow_far_air(&level->faces, &flow->domain, &flow->velocity);
    bw_level_flow_out(&level->above, &level->faces, &flow->domain, (float)(reach + 1) * flow->grid->cell_size,
                      &flow->velocity);
    BW_TRY(bw_levelset_let_air_in(level, time, dt, err));
    bw_levelset_account(level, dt, stats);
    control_air(level);
    if (bw_liquid_is_elastic(level->scene))
        bw_levelset_strain(level, dt);
    bw_stage(&clock, "surface");
    BW_TRY(bw_flow_land_solids(flow, time, dt, err));
    level->must_measure_solids |= bw_scene_solids_have_moved(&flow->solids);
    bw_flow_move_bodies(flow, &level->phi, &level->liquid, forces.gravity, dt);
    BW_TRY(bw_levelset_move_surface(level, dt, stats, err));
    BW_TRY(bw_obey_stop(level->stop, err));
    bw_stage(&clock, "advection");
    if (bw_liquid_is_elastic(level->scene))
        bw_levelset_carry_strain(level, dt);
    carry_velocity(level, dt);
    return settle(level, time, dt, &clock, err);
}

static BwResult part_limit(void *solver, double time, double *limit, BwError *err)
{
    return bw_liquid_surface_limit(&((BwLevelset *)solver)->sources, time, limit, err);
}

// A step that a scene makes longer than one velocity may move the surface for is taken in parts.
static BwResult levelset_step(void *solver, double time, double dt, BwStats *stats, BwError *err)
{
    BwLevelset *level = solver;
    if (level->has_regions && stats->steps == 0)
        bw_level_regions_begin_count(&level->regions);
    if (bw_flow_is_given(&level->flow))
        return given_step(level, time, dt, stats, err);
    BwPartedStep step = {&level->sources, solver, part_limit, part_of_step};
    return bw_explicit_step_in_parts(&step, time, dt, stats, err);
}

static BwResult levelset_drive(void *solver, double time, BwDrive *drive, BwError *err)
{
    return bw_liquid_drive(&((BwLevelset *)solver)->sources, time, drive, err);
}

static BwFlow *levelset_flow(void *solver)
{
    return &((BwLevelset *)solver)->flow;
}

static bool runs_levelset(const BwSceneDef *scene)
{
    return scene->liquid.method == BW_LIQUID_LEVELSET || scene->liquid.method == BW_LIQUID_PARTICLE_LEVELSET;
}

const BwSolverType bw_levelset_solver = {
    .fluid = BW_FLUID_LIQUID,
    .runs = runs_levelset,
    .create = levelset_create,
    .destroy = levelset_destroy,
    .step_limit = levelset_step_limit,
    .step = levelset_step,
    .measure = bw_levelset_measure,
    .frame = bw_levelset_frame,
    .flow = levelset_flow,
    .state_fields = bw_levelset_state_fields,
    .drive = levelset_drive,
    .check = bw_levelset_check,
    .save = bw_levelset_save,
    .load = bw_levelset_load,
    .agree = bw_levelset_agree,
};
