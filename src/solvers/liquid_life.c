// The life of a liquid carried by particles: what it is made of, and its start from the scene's fills.
#include "solvers/liquid.h"

#include "domain/measure.h"
#include "flow/given_flow.h"
#include "operate/field_math.h"
#include "operate/place_fill.h"
#include "particle/particle_sums.h"
#include "particle/seed.h"
#include "scene/carried.h"

#include <math.h>

// Unless the scene says otherwise.
enum { BAND_CELLS_DEFAULT = 6 };

int bw_liquid_band_cells(const BwSceneDef *scene)
{
    if (bw_scene_carried(scene) != 0 || scene->liquid.scheme == BW_SCHEME_EXPLICIT ||
        bw_curve_is_given(&scene->flow.velocity))
        return 0;
    if (isnan(scene->liquid.narrow_band))
        return BAND_CELLS_DEFAULT;
    return (int)ceilf(scene->liquid.narrow_band / scene->cell * 0.9999f);
}

// The grid carries the velocity where particles only tell where the liquid is (markers), or are only near its
// surface.
static bool grid_carries(const BwSceneDef *scene)
{
    return scene->liquid.method == BW_LIQUID_MARKERS || bw_liquid_band_cells(scene) > 0;
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
        .envelope = BW_LIQUID_ENVELOPE_CELLS * setup->scene->cell,
        .density = (double)setup->scene->liquid.density};
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
    liquid->surface.is_rough = bw_scene_solids_may_move(flow->scene);
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
    liquid->has_core = bw_liquid_band_cells(liquid->scene) > 0;
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
    BwDepthWanted wanted = {.cells = bw_liquid_band_cells(liquid->scene), .velocity = &flow->velocity};
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
    if (bw_flow_is_given(&liquid->flow))
        BW_TRY(bw_given_flow_find(&liquid->flow, 0.0, err));
    else if (velocity->function == NULL)
        return BW_OK;
    for (int a = 0; a < liquid->scene->dimension && velocity->function != NULL; a++)
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

void bw_liquid_destroy(void *solver)
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

BwResult bw_liquid_create(void **out, const BwSolverSetup *setup, BwError *err)
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
        bw_liquid_destroy(liquid);
    else
        *out = liquid;
    return result;
}
