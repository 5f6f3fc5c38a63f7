// A liquid carried by particles (Foster and Metaxas 1996; Zhu and Bridson 2005; Jiang et al. 2015), as in the
// recipe of Cline, Cardon and Egbert 2005, fig. 3. Particles keep all that lasts from step to step; the grid
// is made anew from them, solves for the pressure, and gives them their new velocity. Below a narrow band of
// them the grid keeps and advects the liquid itself (particle/core.h).
//
// Velocities are those of the middle of a step, as in the leapfrog method (Verlet 1967): forces act from the
// middle of the last step to that of this one, and particles then move by the velocity that results. So free
// fall is exact, water at rest stays at rest, and waves neither gain nor lose energy by the size of the step.
// Particles go straight on by their velocity, whose divergence is such that they keep their spacing where the
// flow turns (operate/turning.h); so a drop that spins keeps its angular momentum.
//
// Particles move by that velocity and by a displacement that gives crowded ones their spacing back: the
// gradient of a pressure which the same system is solved for (after Kugelstadt, Longva, Thuerey and Bender
// 2019, Implicit Density Projection for Volume Conserving Liquids). It is no part of their velocity, and adds
// no momentum.
#include "solvers/liquid.h"

#include "domain/measure.h"
#include "flow/stage_clock.h"
#include "operate/field_math.h"
#include "operate/liquid_sources.h"
#include "operate/place_fill.h"
#include "operate/turning.h"
#include "particle/particle_sums.h"
#include "particle/redistribute.h"
#include "particle/resample.h"
#include "particle/seed.h"
#include "particle/sort.h"
#include "particle/strain.h"
#include "scene/carried.h"
#include "viscous/viscosity_mix.h"

#include <math.h>

// Cells of air that are awake around particles, beyond what they may cross in a step.
enum { ENVELOPE_CELLS = 3 };

// Layers of velocity around the liquid, beyond what particles may cross in a step.
enum { LAYERS_MIN = 2 };

// Layers above the liquid in which particles rest on it.
enum { LAYERS_RESTING = 2 };

// Cells around the core that are liquid, whatever gaps there may be between their particles for a moment.
enum { LAYERS_AROUND_CORE = 3 };

// Cells that a step leads over at most, however long it is.
enum { WAY_CELLS_MAX = 20 };

// Unless the scene says otherwise.
enum { BAND_CELLS_DEFAULT = 6 };

// Rounds of moving crowded particles apart after a step, and how much crowding is left to the next one after
// steps of up to so many cells.
enum { SPACING_ROUNDS_MAX = 12 };
static const double crowding_allowed = 0.02, cells_parted = 4.0;

// What cells hold beyond being full is seen up to so many times that: in the rounds, where nothing else moves
// the particles, a crowd may burst; in a step it must not throw them about.
static const float crowding_max_moving = 1.0f, crowding_max_apart = 8.0f;

// Cells of liquid that one holds at most whose particles are left where they are in it; and rounds that may
// part them before they are moved, for they lose their centre by it.
static const float clump_min = 3.0f;
enum { ROUNDS_BEFORE_REDISTRIBUTION = 3 };

// The solve for the particles' spacing is good enough when so much of its right side is left.
static const double spacing_tolerance = 2e-3;

// Cells of particles below the surface; 0: they are everywhere, as they are where they carry what the grid of
// a core does not know.
static int band_cells(const BwSceneDef *scene)
{
    if (bw_scene_carried(scene) != 0 || scene->liquid.scheme == BW_SCHEME_EXPLICIT)
        return 0;
    if (isnan(scene->liquid.narrow_band))
        return BAND_CELLS_DEFAULT;
    return (int)ceilf(scene->liquid.narrow_band / scene->cell * 0.9999f);
}

// The grid carries the velocity where particles only tell where the liquid is (markers), or are only near its
// surface.
static bool grid_carries(const BwSceneDef *scene)
{
    return scene->liquid.method == BW_LIQUID_MARKERS || band_cells(scene) > 0;
}

static BwFlowDef flow_def(const BwSolverSetup *setup)
{
    bool is_explicit = setup->scene->liquid.scheme == BW_SCHEME_EXPLICIT;
    return (BwFlowDef){
        .scene = setup->scene,
        .allocator = setup->allocator,
        .pool = setup->pool,
        .is_carried = true,
        .is_advected = !is_explicit && grid_carries(setup->scene),
        .advection = BW_ADVECT_MACCORMACK,
        .is_explicit = is_explicit,
        .is_viscous =
            !is_explicit && (bw_scene_is_viscous(setup->scene) || bw_liquid_is_elastic(setup->scene)),
        .elastic = bw_liquid_is_elastic(setup->scene)
                       ? (double)setup->scene->liquid.elastic.modulus / (double)setup->scene->liquid.density
                       : 0.0,
        .couples_stress = setup->scene->liquid.viscosity_scheme == BW_VISCOSITY_COUPLED,
        .confinement = setup->scene->liquid.confinement,
        .varies_viscosity = bw_scene_varies_viscosity(setup->scene),
        .law = bw_liquid_viscosity_law(setup->scene),
        .has_heat = bw_scene_conducts_in_liquid(setup->scene),
        .conductivity =
            bw_scene_conducts_in_liquid(setup->scene) ? setup->scene->liquid.melt.conductivity : 0.0f,
        .heat_capacity = (double)setup->scene->liquid.heat_capacity,
        .envelope = ENVELOPE_CELLS * setup->scene->cell,
        .density = (double)setup->scene->liquid.density};
}

static bool corrects_spacing(const BwLiquid *liquid)
{
    return liquid->scene->liquid.volume_correction > 0.0f;
}

BwParticleLoad bw_liquid_source_load(const BwSceneDef *scene, const float color[3], float temperature,
                                     float viscosity, int source)
{
    const float *given = bw_color_is_given(color) ? color : scene->look.water_color;
    return (BwParticleLoad){.color = {given[0], given[1], given[2]},
                            .temperature = isnan(temperature) ? scene->smoke.ambient : temperature,
                            .viscosity = isnan(viscosity) ? scene->liquid.viscosity.value[0] : viscosity,
                            .source = source};
}

double bw_liquid_particle_volume(const BwLiquid *liquid)
{
    if (bw_liquid_has_sources(liquid->scene))
        return (double)bw_liquid_unit(liquid->scene) * bw_cell_volume(liquid->flow.grid);
    return liquid->seeds > 0.0 ? liquid->volume_start / liquid->seeds : 0.0;
}

static BwResult create_parts(BwLiquid *liquid, BwError *err)
{
    BwFlow *flow = &liquid->flow;
    BwVec3 none = {0};
    BwParticlesDef def = {.allocator = liquid->allocator,
                          .grid = flow->grid,
                          .pool = flow->pool,
                          .has_gradient = liquid->scene->liquid.method == BW_LIQUID_APIC,
                          .carried = bw_scene_carried(liquid->scene)};
    BW_TRY(bw_particles_create(&liquid->particles, &def, err));
    BW_TRY(bw_attribute_fields_create(&liquid->attributes, flow->grid, def.carried,
                                      liquid->scene->smoke.ambient, err));
    BW_TRY(bw_transfer_create(&liquid->transfer, &liquid->allocator, flow->grid, err));
    BW_TRY(bw_advancer_create(&liquid->advancer, &liquid->allocator, flow->pool, err));
    BW_TRY(bw_face_masks_create(&liquid->faces, flow->grid, err));
    BW_TRY(bw_liquid_surface_create(&liquid->surface, flow->grid, err));
    BW_TRY(bw_velocity_create(&liquid->shift, flow->grid, none, err));
    BW_TRY(bw_velocity_create(&liquid->midway, flow->grid, none, err));
    BW_TRY(bw_field_create(&liquid->turning, flow->grid, BW_AT_CELL, 0.0f, err));
    BW_TRY(bw_projection_create(&liquid->spacing, flow->grid, flow->pool, err));
    BW_TRY(bw_free_bodies_create(&liquid->bodies, &liquid->allocator, flow->grid, err));
    liquid->has_tension = liquid->scene->liquid.surface_tension > 0.0f;
    if (liquid->has_tension)
        BW_TRY(bw_surface_tension_create(&liquid->tension, flow->grid, flow->pool,
                                         liquid->scene->obstacle_count > 0, err));
    liquid->has_before = liquid->scene->liquid.method == BW_LIQUID_FLIP;
    if (liquid->has_before)
        BW_TRY(bw_velocity_create(&liquid->before, flow->grid, none, err));
    liquid->is_carrying = grid_carries(liquid->scene);
    if (liquid->is_carrying)
        BW_TRY(bw_velocity_create(&liquid->carried, flow->grid, none, err));
    liquid->has_core = band_cells(liquid->scene) > 0;
    if (liquid->has_core) {
        BW_TRY(bw_core_create(&liquid->core, flow->grid, err));
        BW_TRY(bw_depth_create(&liquid->depth, flow->grid, err));
    }
    BW_TRY(bw_liquid_create_heat(liquid, err));
    liquid->is_explicit = liquid->scene->liquid.scheme == BW_SCHEME_EXPLICIT;
    if (liquid->is_explicit)
        BW_TRY(bw_explicit_create(&liquid->scheme, flow, err));
    liquid->terms = (BwFluidTerms){.liquid = &liquid->surface.liquid, .phi = &liquid->surface.phi};
    flow->domain.terms = &liquid->terms;
    BwLiquidSourcesDef sources = {.flow = flow,
                                  .phi = &liquid->surface.phi,
                                  .liquid = &liquid->surface.liquid,
                                  .terms = &liquid->terms};
    return bw_liquid_sources_create(&liquid->sources, &sources, err);
}

// What is deep in the fills is core from the beginning, and never has particles.
static void begin_core(BwLiquid *liquid, BwSeeding *seeding)
{
    BwFlow *flow = &liquid->flow;
    BwDepthWanted wanted = {.cells = band_cells(liquid->scene), .velocity = &flow->velocity};
    bw_flow_label(flow);
    bw_liquid_surface_measure_room(&liquid->surface, &flow->domain, flow->solids.poses,
                                   flow->scene->obstacle_count, true);
    bw_seeding_find_whole(seeding, &flow->domain, &liquid->surface.liquid);
    bw_liquid_find_deep(&liquid->depth, &liquid->surface, &flow->domain, &wanted, &liquid->core.full,
                        &liquid->core.next);
    liquid->core_start = bw_core_begin(&liquid->core);
    bw_seeding_set_velocity(seeding, &flow->domain, &liquid->carried);
    liquid->has_carried = true;
    seeding->core = &liquid->core.full;
}

// The scene's fills: particles, and the core.
static BwResult seed(BwLiquid *liquid, BwError *err)
{
    const BwSceneDef *scene = liquid->scene;
    size_t bytes = (size_t)scene->fill_count * sizeof(BwSeedShape);
    if (scene->fill_count == 0)
        return BW_OK;
    BwSeedShape *shapes = bw_alloc(&liquid->allocator, bytes, BW_ALIGN);
    if (shapes == NULL)
        return bw_fail_memory(err);
    for (int n = 0; n < scene->fill_count; n++)
        shapes[n] =
            (BwSeedShape){&scene->fills[n].shape, scene->fills[n].velocity,
                          bw_liquid_source_load(scene, scene->fills[n].color, scene->fills[n].temperature,
                                                scene->fills[n].viscosity, bw_source_of_fill(scene, n))};
    BwSeeding seeding = {.shapes = shapes,
                         .shape_count = scene->fill_count,
                         .solids = liquid->flow.solids.poses,
                         .solid_count = scene->obstacle_count,
                         .per_axis = scene->liquid.particles_per_cell,
                         .is_jittered = scene->liquid.seeding == BW_SEEDING_JITTERED,
                         .seed = scene->seed};
    if (liquid->has_core)
        begin_core(liquid, &seeding);
    BwResult result = bw_particles_seed(&liquid->particles, liquid->flow.grid, &seeding, err);
    bw_free(&liquid->allocator, shapes, bytes, BW_ALIGN);
    return result;
}

static BwResult take_initial_velocity(BwLiquid *liquid, BwWatch watch, BwError *err)
{
    const BwPlaceCurve *velocity = &liquid->scene->initial.velocity;
    BwTask task = bw_task(watch, "filling initial.velocity");
    if (velocity->function == NULL)
        return BW_OK;
    for (int a = 0; a < liquid->scene->dimension; a++)
        BW_TRY(bw_fill_from_place(velocity, &liquid->flow.velocity.u[a], a, &task, err));
    bw_particles_take_velocity(&liquid->particles, liquid->advancer, &liquid->flow.velocity);
    if (liquid->has_core)
        bw_velocity_copy(&liquid->flow.domain, &liquid->flow.velocity, &liquid->carried);
    return BW_OK;
}

static BwResult start(BwLiquid *liquid, BwWatch watch, BwError *err)
{
    BW_TRY(bw_flow_wake(&liquid->flow, err));
    BW_TRY(seed(liquid, err));
    BW_TRY(take_initial_velocity(liquid, watch, err));
    liquid->must_measure_room = true;
    BW_TRY(bw_liquid_refresh(liquid, err));
    liquid->seeded = liquid->particles.next_id;
    liquid->seeds = bw_particles_volume(&liquid->particles) +
                    (double)liquid->core_start / (double)bw_liquid_unit(liquid->scene);
    liquid->flow.max_speed = bw_liquid_max_speed(liquid);
    return bw_liquid_sources_start(&liquid->sources, err);
}

static void liquid_destroy(void *solver)
{
    BwLiquid *liquid = solver;
    if (liquid == NULL)
        return;
    BwAllocator allocator = liquid->allocator;
    bw_particle_frame_free(&liquid->frame, &allocator);
    bw_particles_destroy(&liquid->particles);
    bw_attribute_fields_destroy(&liquid->attributes);
    bw_transfer_destroy(&liquid->transfer);
    bw_advancer_destroy(liquid->advancer);
    bw_face_masks_destroy(&liquid->faces);
    bw_liquid_surface_destroy(&liquid->surface);
    bw_projection_destroy(&liquid->spacing);
    bw_free_bodies_destroy(&liquid->bodies);
    bw_surface_tension_destroy(&liquid->tension);
    bw_velocity_destroy(&liquid->shift);
    bw_velocity_destroy(&liquid->midway);
    bw_field_destroy(&liquid->turning);
    bw_velocity_destroy(&liquid->before);
    bw_velocity_destroy(&liquid->carried);
    bw_core_destroy(&liquid->core);
    bw_depth_destroy(&liquid->depth);
    bw_liquid_destroy_heat(liquid);
    bw_explicit_destroy(&liquid->scheme);
    bw_liquid_sources_destroy(&liquid->sources);
    bw_flow_destroy(&liquid->flow);
    bw_free(&allocator, liquid, sizeof *liquid, BW_ALIGN);
}

static BwResult liquid_create(void **out, const BwSolverSetup *setup, BwError *err)
{
    *out = NULL;
    BwLiquid *liquid = bw_alloc_zeroed(&setup->allocator, sizeof *liquid, BW_ALIGN);
    if (liquid == NULL)
        return bw_fail_memory(err);
    liquid->scene = setup->scene;
    liquid->allocator = setup->allocator;
    liquid->stop = setup->stop;
    BwFlowDef def = flow_def(setup);
    BwResult result = bw_flow_create(&liquid->flow, &def, err);
    if (result == BW_OK)
        result = create_parts(liquid, err);
    if (result == BW_OK)
        result = start(liquid, setup->watch, err);
    if (result != BW_OK)
        liquid_destroy(liquid);
    else
        *out = liquid;
    return result;
}

static BwResult liquid_step_limit(void *solver, double time, double *limit, BwError *err)
{
    const BwLiquid *liquid = solver;
    return liquid->is_explicit ? bw_explicit_step_limit(&liquid->sources, time, limit, err)
                               : bw_liquid_step_limit(&liquid->sources, time, limit, err);
}

// Wakes tiles where particles may get to; puts those to sleep that none can, if told to.
static BwResult follow_particles(BwLiquid *liquid, int reach, bool may_sleep, BwError *err)
{
    BwFlow *flow = &liquid->flow;
    BW_TRY(bw_reserve(&flow->allocator, (void **)&flow->spans, &flow->span_capacity, flow->grid->tile_count,
                      sizeof *flow->spans, err));
    bw_particles_find_spans(&liquid->particles, flow->spans);
    if (liquid->has_core)
        bw_core_widen_spans(&liquid->core, flow->spans);
    BW_TRY(bw_follow_plan(&flow->plan, flow->grid, flow->spans, liquid->sources.boxes,
                          liquid->sources.box_count, reach + ENVELOPE_CELLS, err));
    if (!may_sleep)
        flow->plan.sleep_count = 0;
    return bw_follow_apply(&flow->plan, flow->grid, err);
}

BwResult bw_liquid_refresh(BwLiquid *liquid, BwError *err)
{
    BwFlow *flow = &liquid->flow;
    bw_flow_label(flow); // of solids: where the liquid is follows
    bw_liquid_surface_measure_room(&liquid->surface, &flow->domain, flow->solids.poses,
                                   flow->scene->obstacle_count, liquid->must_measure_room);
    if (liquid->has_tension)
        bw_surface_tension_measure_solids(&liquid->tension, &flow->domain, flow->solids.poses,
                                          flow->scene->obstacle_count, liquid->must_measure_room);
    liquid->must_measure_room = false;
    BwGridCarried carried = {.velocity = &liquid->carried,
                             .core = liquid->has_core ? &liquid->core : NULL,
                             .is_all =
                                 liquid->scene->liquid.method == BW_LIQUID_MARKERS && liquid->last_dt > 0.0};
    BwTransferred to = {&flow->velocity, &liquid->midway, liquid->faces.held, &liquid->surface.share};
    BW_TRY(bw_transfer_to_grid(&liquid->transfer, &liquid->particles, bw_liquid_unit(liquid->scene),
                               liquid->has_carried ? &carried : NULL, &to, err));
    if (liquid->has_core)
        bw_mask_dilate(&liquid->core.full, &flow->domain, LAYERS_AROUND_CORE, &liquid->core.around,
                       &liquid->core.scratch);
    bw_liquid_surface_find(&liquid->surface, &flow->domain, liquid->has_core ? &liquid->core.around : NULL,
                           liquid->has_tension);
    if (liquid->is_explicit)
        bw_particles_mark_cells(&liquid->particles, &liquid->surface.liquid);
    if (liquid->last_dt == 0.0)
        liquid->volume_start = bw_liquid_surface_volume(&liquid->surface, &flow->domain);
    bw_liquid_sources_carve(&liquid->sources);
    bw_domain_label_sides(&flow->domain);
    return BW_OK;
}

// The divergence that the velocity is to have.
static void find_divergence(BwLiquid *liquid, double dt)
{
    BwTurning turning = {&liquid->flow.domain, liquid->faces.held, &liquid->flow.velocity, (float)dt};
    bw_find_turning_divergence(&turning, &liquid->turning);
    bw_liquid_sources_add_divergence(&liquid->sources, &liquid->turning);
}

// The velocity at fixed places in the middle of the step.
static void find_midway(BwLiquid *liquid, double dt)
{
    BwTurning turning = {&liquid->flow.domain, liquid->faces.known, &liquid->flow.velocity, (float)dt};
    bw_find_midway_velocity(&turning, &liquid->midway);
}

// The elastic force of the strain that particles have.
static void push_elastically(BwLiquid *liquid, const BwLiquidForces *forces)
{
    BwFlow *flow = &liquid->flow;
    bw_flow_elastic_rate(flow, liquid->faces.passable, forces->dt);
    bw_strain_to_grid(&liquid->particles, bw_liquid_unit(liquid->scene), &flow->elastic.rate,
                      &flow->elastic.sums, &flow->elastic.strain);
    bw_flow_elastic_push(flow, liquid->faces.passable, forces->dt, (double)forces->seconds, liquid->last_dt);
}

// The strain at the end of the step, by the velocity that particles move by.
static void strain_particles(BwLiquid *liquid, double dt)
{
    const BwElasticDef *elastic = &liquid->scene->liquid.elastic;
    BwYield yield = {elastic->yield, (float)exp(-(double)elastic->flow * dt)};
    bw_flow_elastic_rate(&liquid->flow, liquid->faces.passable, dt);
    bw_strain_advance(&liquid->particles, &liquid->flow.elastic.rate, (float)dt, yield);
}

// The viscosity at cells, by what particles carry.
static void find_viscosities(BwLiquid *liquid, double time)
{
    const BwAttributeFields *attributes = &liquid->attributes;
    unsigned wanted = BW_CARRIES_VISCOSITY | (bw_scene_melts(liquid->scene) ? BW_CARRIES_TEMPERATURE : 0u);
    bw_attribute_fields_set(&liquid->attributes, &liquid->particles, wanted, time);
    BwMixture mixture = {
        .constant = liquid->flow.def.viscosity,
        .ramp = bw_liquid_melt_ramp(liquid->scene),
        .own = (attributes->carried & BW_CARRIES_VISCOSITY) != 0 ? &attributes->field[BW_ATTRIBUTE_VISCOSITY]
                                                                 : NULL,
        .temperature = bw_scene_melts(liquid->scene) ? &attributes->field[BW_ATTRIBUTE_TEMPERATURE] : NULL};
    bw_viscosity_mix(&liquid->flow.domain, &mixture, &liquid->flow.viscosities);
}

// Forces inside the liquid give what flies freely no momentum. The pressure of the air may, where the scene
// gives it one.
static BwResult keep_momentum(BwLiquid *liquid, BwError *err)
{
    BwFlow *flow = &liquid->flow;
    BwInnerChange inner = {liquid->faces.held, &liquid->midway, &liquid->shift};
    if (liquid->scene->surface_pressure_count > 0)
        return BW_OK;
    return bw_free_bodies_keep_momentum(&liquid->bodies, &flow->domain, &inner, &flow->velocity, err);
}

// The velocity in the middle of the step: forces, walls and solids, sources, pressure.
static BwResult find_velocity(BwLiquid *liquid, const BwLiquidForces *forces, BwStats *stats, BwError *err)
{
    BwFlow *flow = &liquid->flow;
    if (liquid->has_before)
        bw_velocity_copy(&flow->domain, &flow->velocity, &liquid->before);
    find_divergence(liquid, forces->dt);
    if (flow->def.confinement > 0.0f)
        bw_flow_confine(flow, (double)forces->seconds);
    BW_TRY(bw_liquid_add_forces(&liquid->sources, &liquid->faces, forces, stats, err));
    bw_velocity_copy(&flow->domain, &flow->velocity, &liquid->shift);
    if (bw_liquid_is_elastic(liquid->scene))
        push_elastically(liquid, forces);
    bw_liquid_press(&liquid->sources, &liquid->tension, forces->seconds);
    liquid->terms.divergence = &liquid->turning;
    BW_TRY(bw_flow_project(flow, stats, err));
    if (flow->def.varies_viscosity)
        find_viscosities(liquid, forces->time);
    if (bw_flow_is_thick(flow))
        BW_TRY(bw_liquid_thicken(&liquid->sources, &liquid->faces, forces->dt, stats, err));
    bw_extrapolate_change(&liquid->faces, &flow->domain, &liquid->shift, &flow->velocity, LAYERS_RESTING);
    BW_TRY(keep_momentum(liquid, err));
    if (flow->measures.is_due)
        liquid->divergence = bw_divergence_max(&flow->domain, &flow->velocity);
    bw_liquid_sources_pull(&liquid->sources);
    flow->pressure_dt = (double)forces->seconds;
    liquid->last_dt = forces->dt;
    return BW_OK;
}

// Slows all of the flow down evenly where it would lead over more cells in a step than anything is known of
// on the way: a step as long as that would throw the liquid onto itself. It has no divergence then either.
static void limit_way(BwLiquid *liquid, double dt)
{
    BwFlow *flow = &liquid->flow;
    double speed = (double)bw_velocity_max(&flow->domain, &flow->velocity),
           most = WAY_CELLS_MAX * (double)flow->grid->cell_size / dt;
    for (int a = 0; a < flow->grid->dimension && speed > most; a++)
        bw_field_scale(&flow->domain, &flow->velocity.u[a], (float)(most / speed), &flow->velocity.u[a]);
}

// Finds what, added to a velocity that walls and solids agree with, gives the particles their spacing back.
static BwResult find_shift(BwLiquid *liquid, const BwVelocity *velocity, float crowding_max, double dt,
                           BwStats *stats, BwError *err)
{
    BwFlow *flow = &liquid->flow;
    BwPoissonOptions options = {.method = BW_PRESSURE_MULTIGRID,
                                .tolerance = spacing_tolerance,
                                .iterations_max = liquid->scene->solver.iterations_max,
                                .from_zero = true};
    BwPoissonReport report = {0};
    bw_velocity_copy(&flow->domain, velocity, &liquid->shift);
    BwSpreadDef spread = {.part = liquid->scene->liquid.volume_correction,
                          .dt = (float)dt,
                          .crowding_max = crowding_max,
                          .unsure = liquid->has_core ? &liquid->core.around : NULL,
                          .unsure_part = fminf(flow->max_speed * (float)dt / flow->grid->cell_size, 1.0f)};
    bw_liquid_surface_find_spread(&liquid->surface, &flow->domain, &spread);
    if (velocity == &flow->velocity) // which has a divergence of its own
        bw_field_add(&flow->domain, &liquid->turning, &liquid->surface.spread);
    liquid->terms.divergence = &liquid->surface.spread;
    BwResult result = bw_project(&liquid->spacing, &flow->domain, &liquid->shift, &options, &report, err);
    liquid->terms.divergence = NULL;
    bw_extrapolate_change(&liquid->faces, &flow->domain, velocity, &liquid->shift, LAYERS_RESTING);
    bw_velocity_subtract(&flow->domain, velocity, &liquid->shift);
    bw_extrapolate(&liquid->faces, &flow->domain, (BwExtrapolation){BW_FROM_FLUID, LAYERS_MIN, 0.0f},
                   &liquid->shift);
    stats->iterations += report.iterations;
    return result;
}

// What stands in the way of particles that cross so many cells.
static BwCollision collision_of(const BwFlow *flow, int reach)
{
    return (BwCollision){.solids = flow->solids.poses,
                         .solid_count = flow->scene->obstacle_count,
                         .sides = flow->domain.side,
                         .reach = (float)(reach + 1)};
}

// New velocities and places of the particles, past the solids as they get to where they are at the end of the
// step.
static BwResult move_particles(BwLiquid *liquid, const BwLiquidForces *forces, int reach, BwError *err)
{
    BwFlow *flow = &liquid->flow;
    BW_TRY(bw_flow_land_solids(flow, forces->time, forces->dt, err));
    liquid->must_measure_room |= bw_scene_solids_have_moved(&flow->solids);
    BwAdvance advance = {.velocity = &flow->velocity,
                         .path = &liquid->midway,
                         .before = liquid->has_before ? &liquid->before : NULL,
                         .flip = liquid->scene->liquid.flip_ratio,
                         .shift = corrects_spacing(liquid) ? &liquid->shift : NULL,
                         .crammed = corrects_spacing(liquid) ? &liquid->surface.crammed : NULL,
                         .phi = liquid->is_explicit ? NULL : &liquid->surface.phi,
                         .fall = bw_mul(forces->gravity, forces->seconds),
                         .dt = (float)forces->dt,
                         .collision = collision_of(flow, reach)};
    bw_particles_advance(&liquid->particles, liquid->advancer, &advance);
    return BW_OK;
}

// Whether the grid carries any velocity in this step: that of markers, or of a core that is or comes to be.
static bool carries_any(const BwLiquid *liquid)
{
    return liquid->is_carrying &&
           (liquid->scene->liquid.method == BW_LIQUID_MARKERS || bw_core_is_there(&liquid->core));
}

// The velocity that the grid carries by itself, past the solids as they have moved.
static void carry_velocity(BwLiquid *liquid, double dt)
{
    if (!carries_any(liquid))
        return;
    bw_flow_advect_known(&liquid->flow, liquid->faces.known, &liquid->midway, &liquid->carried, dt);
    liquid->has_carried = true;
}

// Sorts particles that a velocity, if any, and the shift have moved, by so many cells at most.
static BwResult sort_particles(BwLiquid *liquid, const BwVelocity *velocity, int reach, double time,
                               double dt, BwStats *stats, BwError *err)
{
    const BwSceneDef *scene = liquid->scene;
    BwCollision collision = collision_of(&liquid->flow, reach);
    BwCoreMotion motion = {.velocity = velocity,
                           .shift = corrects_spacing(liquid) ? &liquid->shift : NULL,
                           .carried = &liquid->carried,
                           .collision = &collision,
                           .dt = (float)dt,
                           .per_axis = scene->liquid.particles_per_cell,
                           .seed = scene->seed};
    BwParticleSink sink = {&liquid->core, bw_liquid_unit(liquid->scene),
                           velocity != NULL ? (float)dt / liquid->flow.grid->cell_size : 0.0f};
    BwParticlesGone gone;
    if (liquid->has_core)
        BW_TRY(bw_core_change(&liquid->core, &liquid->particles, &motion, err));
    if (velocity != NULL)
        BW_TRY(bw_liquid_emit(liquid, &collision, time, dt, stats, err));
    BW_TRY(bw_particles_sort(&liquid->particles, liquid->has_core ? &sink : NULL, &gone, err));
    if (liquid->has_core)
        bw_core_diffuse(&liquid->core, liquid->flow.pool);
    stats->removed[BW_REMOVED_OPEN] += gone.volume * bw_liquid_particle_volume(liquid);
    return velocity != NULL ? bw_liquid_drain(liquid, &gone, dt, stats, err) : BW_OK;
}

float bw_liquid_max_speed(const BwLiquid *liquid)
{
    float particles = bw_particles_max_speed(&liquid->particles);
    return liquid->has_core ? fmaxf(particles, bw_core_max_speed(&liquid->core, &liquid->flow.velocity))
                            : particles;
}

// What shall be core when the step is over.
static BwResult plan_core(BwLiquid *liquid, double time, double dt, BwError *err)
{
    float speed, acceleration, h = liquid->flow.grid->cell_size;
    BwDrive drive;
    BW_TRY(bw_liquid_limits(&liquid->sources, time, time + dt, &speed, &acceleration, err));
    BW_TRY(bw_flow_drive(&liquid->flow, time, &drive, err));
    acceleration += bw_liquid_tension_acceleration(liquid->scene, dt);
    BwDepthWanted wanted = {.cells = band_cells(liquid->scene),
                            .velocity = &liquid->flow.velocity,
                            .imposed_speed = drive.imposed_speed,
                            .cells_per_speed = (float)dt / h,
                            .faster = acceleration * (float)dt};
    bw_liquid_find_deep(&liquid->depth, &liquid->surface, &liquid->flow.domain, &wanted, &liquid->core.full,
                        &liquid->core.next);
    bw_liquid_clear_core(liquid, dt);
    return BW_OK;
}

// Keeps between half and twice as many particles in a cell as it was seeded with.
static BwResult resample(BwLiquid *liquid, BwError *err)
{
    const BwLiquidSurface *surface = &liquid->surface;
    float seeded = 1.0f / bw_liquid_unit(liquid->scene);
    BwResampling resampling = {.phi = &surface->phi,
                               .open = &surface->open,
                               .whole = liquid->has_core ? &liquid->core.around : NULL,
                               .fewest = (int)(0.5f * seeded),
                               .most = (int)(2.0f * seeded)};
    BwParticlesGone gone;
    bool has_changed;
    BW_TRY(bw_particles_resample(&liquid->particles, &resampling, &has_changed, err));
    return has_changed ? bw_particles_sort(&liquid->particles, NULL, &gone, err) : BW_OK;
}

// The grid at the start of a step: tiles, solids with their speed, walls, labels, and velocity on all faces
// of fluid.
static BwResult prepare(BwLiquid *liquid, int reach, double time, double dt, BwError *err)
{
    BwFlow *flow = &liquid->flow;
    BW_TRY(follow_particles(liquid, reach, false, err));
    BW_TRY(bw_flow_aim_solids(flow, time, dt, err));
    BW_TRY(bw_flow_set_walls(flow, time + dt, err));
    bw_flow_label(flow);
    if (liquid->has_core)
        BW_TRY(plan_core(liquid, time, dt, err));
    bw_find_passable_faces(&liquid->faces, &flow->domain);
    bw_extrapolate(&liquid->faces, &flow->domain, (BwExtrapolation){BW_FROM_PARTICLES, LAYERS_MIN, 0.0f},
                   &flow->velocity);
    return BW_OK;
}

// Moves crowded particles apart, and nothing else: they keep their velocity.
static BwResult space_out(BwLiquid *liquid, double dt, BwStats *stats, BwError *err)
{
    BwFlow *flow = &liquid->flow;
    bw_find_passable_faces(&liquid->faces, &flow->domain);
    bw_velocity_clear(&flow->domain, &flow->next_velocity);
    BW_TRY(find_shift(liquid, &flow->next_velocity, crowding_max_apart, dt, stats, err));
    BwAdvance advance = {.shift = &liquid->shift,
                         .crammed = &liquid->surface.crammed,
                         .dt = (float)dt,
                         .collision = collision_of(flow, 1)};
    bw_particles_advance(&liquid->particles, liquid->advancer, &advance);
    BW_TRY(sort_particles(liquid, NULL, 1, 0.0, dt, stats, err));
    BW_TRY(follow_particles(liquid, 0, false, err));
    liquid->flow.must_measure_solids |= flow->plan.wake_count > 0;
    return bw_liquid_refresh(liquid, err);
}

// A step of many cells leaves no two particles side by side that were: what crowds in it is not parted by and
// by in those that follow, and adds up.
static double crowding_left(const BwLiquid *liquid, double dt)
{
    double cells = (double)liquid->flow.max_speed * dt / (double)liquid->flow.grid->cell_size,
           part = fmin(cells_parted / fmax(cells, 1e-9), 1.0);
    return crowding_allowed * part * part * part;
}

// After a step that crossed many cells particles may crowd, more than the next step's motion can part. Solids
// that move would push once more in every round, so beside them the steps alone have to do.
static BwResult space_out_crowds(BwLiquid *liquid, double dt, BwStats *stats, BwError *err)
{
    bool may = corrects_spacing(liquid) && !bw_scene_solids_have_moved(&liquid->flow.solids);
    for (int round = 0; round < SPACING_ROUNDS_MAX && may; round++) {
        if (bw_liquid_surface_crowding(&liquid->surface, &liquid->flow.domain) <= crowding_left(liquid, dt))
            return BW_OK;
        if (round >= ROUNDS_BEFORE_REDISTRIBUTION)
            bw_particles_redistribute(&liquid->particles, &liquid->surface.open,
                                      bw_liquid_unit(liquid->scene), clump_min);
        BW_TRY(space_out(liquid, dt, stats, err));
    }
    return BW_OK;
}

static BwResult split_step(BwLiquid *liquid, double time, double dt, BwStats *stats, BwError *err)
{
    BwStageClock clock = bw_stage_clock(stats, liquid->flow.pool);
    BwLiquidForces forces = {.time = time, .dt = dt};
    int reach;
    bw_stage(&clock, "tiles");
    bw_flow_begin_measures(&liquid->flow, time, dt, stats);
    BW_TRY(bw_liquid_find_pressure(&liquid->sources, time, dt, liquid->last_dt, err));
    BW_TRY(bw_liquid_reach(&liquid->sources, time, dt, &reach, err));
    BW_TRY(resample(liquid, err));
    BW_TRY(bw_liquid_sources_plan(&liquid->sources, time, dt, err));
    BW_TRY(prepare(liquid, reach, time, dt, err));
    BW_TRY(bw_liquid_sources_act(&liquid->sources, time, dt, err));
    BW_TRY(bw_liquid_look_up_forces(&liquid->flow, liquid->last_dt, &forces, err));
    BW_TRY(bw_obey_stop(liquid->stop, err));
    if (liquid->has_heat) {
        bw_stage(&clock, "conduction");
        BW_TRY(bw_liquid_conduct(liquid, dt, stats, err));
    }
    bw_stage(&clock, "pressure");
    BW_TRY(find_velocity(liquid, &forces, stats, err));
    BW_TRY(bw_obey_stop(liquid->stop, err));
    limit_way(liquid, dt);
    bw_stage(&clock, "spacing");
    if (corrects_spacing(liquid))
        BW_TRY(find_shift(liquid, &liquid->flow.velocity, crowding_max_moving, dt, stats, err));
    BW_TRY(bw_obey_stop(liquid->stop, err));
    bw_stage(&clock, "extrapolate");
    bw_liquid_sources_open_mouths(&liquid->sources);
    bw_extrapolate(&liquid->faces, &liquid->flow.domain,
                   (BwExtrapolation){BW_FROM_FLUID, reach + LAYERS_MIN, 0.0f}, &liquid->flow.velocity);
    find_midway(liquid, dt);
    bw_stage(&clock, "particles");
    if (bw_liquid_is_elastic(liquid->scene))
        strain_particles(liquid, dt);
    BW_TRY(move_particles(liquid, &forces, reach, err));
    bw_flow_move_bodies(&liquid->flow, &liquid->surface.phi, &liquid->surface.liquid, forces.gravity, dt);
    bw_stage(&clock, "advection");
    carry_velocity(liquid, dt);
    bw_stage(&clock, "sort");
    BW_TRY(sort_particles(liquid, &liquid->midway, reach, time, dt, stats, err));
    liquid->flow.max_speed = bw_liquid_max_speed(liquid);
    BW_TRY(bw_liquid_reach(&liquid->sources, time + dt, dt, &reach, err));
    BW_TRY(follow_particles(liquid, reach, true, err));
    BW_TRY(bw_obey_stop(liquid->stop, err));
    bw_stage(&clock, "surface");
    liquid->flow.must_measure_solids |= liquid->flow.plan.wake_count > 0;
    BW_TRY(bw_liquid_refresh(liquid, err));
    bw_stage(&clock, "spacing");
    BW_TRY(space_out_crowds(liquid, dt, stats, err));
    liquid->flow.max_speed = bw_liquid_max_speed(liquid);
    bw_stage(&clock, NULL);
    return BW_OK;
}

// A step that is stable by itself.
static BwResult explicit_step(BwLiquid *liquid, double time, double dt, BwStats *stats, BwError *err)
{
    BwFlow *flow = &liquid->flow;
    BwStageClock clock = bw_stage_clock(stats, flow->pool);
    BwLiquidForces forces = {.time = time, .dt = dt};
    BwStats spacing = {0}; // whose iterations are no sweeps
    int reach;
    bw_stage(&clock, "tiles");
    bw_flow_begin_measures(flow, time, dt, stats);
    BW_TRY(bw_liquid_find_pressure(&liquid->sources, time, dt, dt, err));
    BW_TRY(bw_liquid_reach(&liquid->sources, time, dt, &reach, err));
    BW_TRY(resample(liquid, err));
    BW_TRY(bw_liquid_sources_plan(&liquid->sources, time, dt, err));
    BW_TRY(prepare(liquid, reach, time, dt, err));
    BW_TRY(bw_liquid_sources_act(&liquid->sources, time, dt, err));
    BW_TRY(bw_liquid_look_up_forces(flow, dt, &forces, err));
    BW_TRY(bw_obey_stop(liquid->stop, err));
    bw_stage(&clock, "pressure");
    BW_TRY(bw_explicit_find_velocity(&liquid->scheme, &liquid->sources, &liquid->faces, &forces, stats, err));
    if (flow->measures.is_due)
        liquid->divergence = bw_full_divergence_max(&liquid->scheme.cells, &flow->domain, &flow->velocity);
    liquid->last_dt = dt;
    limit_way(liquid, dt);
    bw_stage(&clock, "spacing");
    if (corrects_spacing(liquid)) {
        bw_velocity_clear(&flow->domain, &flow->next_velocity);
        BW_TRY(find_shift(liquid, &flow->next_velocity, crowding_max_moving, dt, &spacing, err));
    }
    bw_stage(&clock, "extrapolate");
    bw_liquid_sources_open_mouths(&liquid->sources);
    bw_extrapolate(&liquid->faces, &flow->domain, (BwExtrapolation){BW_FROM_FLUID, reach + LAYERS_MIN, 0.0f},
                   &flow->velocity);
    bw_velocity_copy(&flow->domain, &flow->velocity, &liquid->midway);
    bw_velocity_copy(&flow->domain, &flow->velocity, &liquid->carried);
    liquid->has_carried = true;
    bw_stage(&clock, "particles");
    BW_TRY(move_particles(liquid, &forces, reach, err));
    bw_flow_move_bodies(flow, &liquid->surface.phi, &liquid->surface.liquid, forces.gravity, dt);
    bw_stage(&clock, "sort");
    BW_TRY(sort_particles(liquid, &liquid->midway, reach, time, dt, stats, err));
    flow->max_speed = bw_liquid_max_speed(liquid);
    BW_TRY(bw_liquid_reach(&liquid->sources, time + dt, dt, &reach, err));
    BW_TRY(follow_particles(liquid, reach, true, err));
    bw_stage(&clock, "surface");
    flow->must_measure_solids |= flow->plan.wake_count > 0;
    BW_TRY(bw_liquid_refresh(liquid, err));
    bw_stage(&clock, NULL);
    return BW_OK;
}

// A step that a scene makes longer than its limit is taken in stable parts.
static BwResult explicit_steps(BwLiquid *liquid, double time, double dt, BwStats *stats, BwError *err)
{
    for (double done = 0.0, left = dt; left > 1e-9 * dt; left = dt - done) {
        double limit;
        BW_TRY(bw_explicit_step_limit(&liquid->sources, time + done, &limit, err));
        double part = left / fmax(1.0, ceil(left / limit * (1.0 - 1e-6)));
        BW_TRY(explicit_step(liquid, time + done, part, stats, err));
        done += part;
    }
    return BW_OK;
}

static BwResult liquid_step(void *solver, double time, double dt, BwStats *stats, BwError *err)
{
    BwLiquid *liquid = solver;
    return liquid->is_explicit ? explicit_steps(liquid, time, dt, stats, err)
                               : split_step(liquid, time, dt, stats, err);
}

// How much of the volume is faster. The core is calm water: when any of it is, all of it counts.
static double share_above(const void *fluid, float speed)
{
    const BwLiquid *liquid = fluid;
    double core =
               liquid->has_core ? bw_core_volume(&liquid->core) / (double)bw_liquid_unit(liquid->scene) : 0.0,
           all = core + bw_particles_volume(&liquid->particles),
           faster = bw_particles_volume_above(&liquid->particles, speed);
    if (liquid->has_core && bw_core_max_speed(&liquid->core, &liquid->flow.velocity) > speed)
        faster += core;
    return all > 0.0 ? faster / all : 0.0;
}

static BwResult liquid_drive(void *solver, double time, BwDrive *drive, BwError *err)
{
    BwLiquid *liquid = solver;
    BW_TRY(bw_liquid_drive(&liquid->sources, time, drive, err));
    drive->overlap = bw_liquid_surface_overlap(&liquid->surface, &liquid->flow.domain);
    drive->share_above = share_above;
    drive->fluid = liquid;
    return BW_OK;
}

static BwFlow *liquid_flow(void *solver)
{
    return &((BwLiquid *)solver)->flow;
}

static bool runs_particles(const BwSceneDef *scene)
{
    BwLiquidMethod method = scene->liquid.method;
    return method == BW_LIQUID_APIC || method == BW_LIQUID_FLIP || method == BW_LIQUID_MARKERS;
}

const BwSolverType bw_liquid_solver = {
    .fluid = BW_FLUID_LIQUID,
    .runs = runs_particles,
    .create = liquid_create,
    .destroy = liquid_destroy,
    .step_limit = liquid_step_limit,
    .step = liquid_step,
    .measure = bw_liquid_measure,
    .frame = bw_liquid_frame,
    .flow = liquid_flow,
    .state_fields = bw_liquid_state_fields,
    .drive = liquid_drive,
    .check = bw_liquid_check,
    .save = bw_liquid_save,
    .load = bw_liquid_load,
    .agree = bw_liquid_agree,
};
