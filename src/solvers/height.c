// A liquid below a height field (Foster and Metaxas 1996, section 4.3): the velocity and the pressure are
// those of all of its volume, by the explicit scheme or by a projection, and its surface is one height over
// each place, which they move by (11) and (12). For water that does not overturn: seas, rivers, pools.
//
// The velocity is found from the surface as it stands, and the surface then moves by the new velocity, so
// that waves neither gain nor lose energy by the size of the step.
#include "solvers/height.h"

#include "domain/measure.h"
#include "flow/stage_clock.h"
#include "operate/field_math.h"
#include "operate/level_emit.h"
#include "operate/liquid_surface.h"
#include "operate/place_fill.h"
#include "scene/carried.h"

#include <math.h>

// Layers of velocity around the liquid.
enum { LAYERS = 4 };

// Of a cell that the surface may cross in one of its own steps.
static const double surface_cells = 0.5;

static BwFlowDef flow_def(const BwSolverSetup *setup)
{
    const BwLiquidDef *liquid = &setup->scene->liquid;
    bool is_explicit = liquid->scheme == BW_SCHEME_EXPLICIT;
    return (BwFlowDef){.scene = setup->scene,
                       .allocator = setup->allocator,
                       .pool = setup->pool,
                       .advection = BW_ADVECT_MACCORMACK,
                       .is_explicit = is_explicit,
                       .is_viscous = !is_explicit && bw_scene_is_viscous(setup->scene),
                       .law = bw_liquid_viscosity_law(setup->scene),
                       .couples_stress = liquid->viscosity_scheme == BW_VISCOSITY_COUPLED,
                       .confinement = liquid->confinement,
                       .density = (double)liquid->density};
}

static BwResult create_surface(BwHeight *height, BwError *err)
{
    BwGrid *grid = height->flow.grid;
    BW_TRY(bw_field_create(&height->phi, grid, BW_AT_CELL, bw_height_band(height), err));
    BW_TRY(bw_mask_create(&height->liquid, grid, err));
    BW_TRY(bw_columns_create(&height->columns, &height->allocator, grid, err));
    BwHeightFrame *frame = &height->frame;
    size_t count = (size_t)height->columns.columns;
    frame->heights = bw_alloc_zeroed(&height->allocator, count * sizeof(float), BW_ALIGN);
    frame->depths = bw_alloc_zeroed(&height->allocator, count * sizeof(float), BW_ALIGN);
    frame->velocities = bw_alloc_zeroed(&height->allocator, count * sizeof(BwVec3), BW_ALIGN);
    bool is_short = frame->heights == NULL || frame->depths == NULL || frame->velocities == NULL;
    return is_short ? bw_fail_memory(err) : BW_OK;
}

static BwResult create_scheme(BwHeight *height, BwError *err)
{
    BwGrid *grid = height->flow.grid;
    BwVec3 none = {0};
    height->is_explicit = height->scene->liquid.scheme == BW_SCHEME_EXPLICIT;
    if (height->is_explicit) {
        BW_TRY(bw_explicit_create(&height->scheme, &height->flow, err));
        BW_TRY(bw_field_create(&height->head, grid, BW_AT_CELL, 0.0f, err));
        height->scheme.head = &height->head;
        return BW_OK;
    }
    BW_TRY(bw_field_create(&height->open, grid, BW_AT_CELL, 1.0f, err));
    BW_TRY(bw_notes_create(&height->open_measured, grid, err));
    return bw_velocity_create(&height->carried, grid, none, err);
}

static BwResult create_parts(BwHeight *height, BwError *err)
{
    BW_TRY(create_surface(height, err));
    BW_TRY(create_scheme(height, err));
    BW_TRY(bw_height_create_spray(height, err));
    BW_TRY(bw_face_masks_create(&height->faces, height->flow.grid, err));
    height->terms = (BwFluidTerms){.liquid = &height->liquid, .phi = &height->phi};
    height->flow.domain.terms = &height->terms;
    BwLiquidSourcesDef sources = {.flow = &height->flow,
                                  .phi = &height->phi,
                                  .liquid = &height->liquid,
                                  .terms = &height->terms,
                                  .in_liquid_alone = true};
    return bw_liquid_sources_create(&height->sources, &sources, err);
}

// Solids and sides of the box, then the surface, then what that makes of cells and faces.
void bw_height_label(BwHeight *height)
{
    BwFlow *flow = &height->flow;
    BwColumnLabels labels = {&height->phi, &height->liquid, bw_height_band(height), height->is_explicit};
    height->scheme.has_slip &= !flow->must_measure_solids;
    bw_flow_label(flow);
    if (!height->is_explicit)
        bw_measure_open(&height->open, &height->open_measured, &flow->domain, flow->solids.poses,
                        flow->scene->obstacle_count, height->must_measure_solids);
    height->must_measure_solids = false;
    bw_columns_find_room(&height->columns, &flow->domain, height->is_explicit ? NULL : &height->open);
    bw_columns_find_heights(&height->columns, flow->pool);
    bw_columns_label(&height->columns, &flow->domain, &labels);
    flow->must_measure_solids = false;
    bw_flow_label(flow);
}

// The scene's fills: the columns, and their velocity.
static BwResult fill(BwHeight *height, BwError *err)
{
    const BwSceneDef *scene = height->scene;
    size_t bytes = (size_t)scene->fill_count * sizeof(const BwShape *);
    if (scene->fill_count == 0)
        return BW_OK;
    const BwShape **shapes = bw_alloc(&height->allocator, bytes, BW_ALIGN);
    if (shapes == NULL)
        return bw_fail_memory(err);
    for (int n = 0; n < scene->fill_count; n++) {
        shapes[n] = &scene->fills[n].shape;
        BwLevelStamp stamp = {.shape = shapes[n], .has_velocity = true, .velocity = scene->fills[n].velocity};
        bw_level_add(&height->phi, &height->flow.velocity, &height->flow.domain, &stamp,
                     bw_height_band(height));
    }
    BwResult result = bw_columns_fill(&height->columns, shapes, scene->fill_count, err);
    bw_free(&height->allocator, shapes, bytes, BW_ALIGN);
    return result;
}

static BwResult start(BwHeight *height, BwWatch watch, BwError *err)
{
    const BwPlaceCurve *velocity = &height->scene->initial.velocity;
    BwTask task = bw_task(watch, "filling initial.velocity");
    BwFlow *flow = &height->flow;
    BW_TRY(bw_flow_wake(flow, err));
    flow->plan.wake_count = 0; // all of the box is awake for good
    height->must_measure_solids = true;
    bw_height_label(height);
    BW_TRY(fill(height, err));
    for (int a = 0; a < height->scene->dimension && velocity->function != NULL; a++)
        BW_TRY(bw_fill_from_place(velocity, &flow->velocity.u[a], a, &task, err));
    bw_height_label(height);
    height->given = bw_columns_volume(&height->columns);
    flow->max_speed = bw_velocity_max(&flow->domain, &flow->velocity);
    return bw_liquid_sources_start(&height->sources, err);
}

static void height_destroy(void *solver)
{
    BwHeight *height = solver;
    if (height == NULL)
        return;
    BwAllocator allocator = height->allocator;
    size_t count = (size_t)height->columns.columns;
    bw_free(&allocator, height->frame.heights, count * sizeof(float), BW_ALIGN);
    bw_free(&allocator, height->frame.depths, count * sizeof(float), BW_ALIGN);
    bw_free(&allocator, height->frame.velocities, count * sizeof(BwVec3), BW_ALIGN);
    bw_height_destroy_spray(height);
    bw_face_masks_destroy(&height->faces);
    bw_columns_destroy(&height->columns);
    bw_field_destroy(&height->phi);
    bw_mask_destroy(&height->liquid);
    bw_field_destroy(&height->open);
    bw_notes_destroy(&height->open_measured);
    bw_velocity_destroy(&height->carried);
    bw_explicit_destroy(&height->scheme);
    bw_field_destroy(&height->head);
    bw_liquid_sources_destroy(&height->sources);
    bw_flow_destroy(&height->flow);
    bw_free(&allocator, height, sizeof *height, BW_ALIGN);
}

static BwResult height_create(void **out, const BwSolverSetup *setup, BwError *err)
{
    *out = NULL;
    BwHeight *height = bw_alloc_zeroed(&setup->allocator, sizeof *height, BW_ALIGN);
    if (height == NULL)
        return bw_fail_memory(err);
    height->scene = setup->scene;
    height->allocator = setup->allocator;
    height->stop = setup->stop;
    height->log = setup->log;
    BwFlowDef def = flow_def(setup);
    BwResult result = bw_flow_create(&height->flow, &def, err);
    if (result == BW_OK)
        result = create_parts(height, err);
    if (result == BW_OK)
        result = start(height, setup->watch, err);
    if (result != BW_OK)
        height_destroy(height);
    else
        *out = height;
    return result;
}

static BwResult height_step_limit(void *solver, double time, double *limit, BwError *err)
{
    const BwHeight *height = solver;
    if (height->is_explicit)
        BW_TRY(bw_explicit_step_limit(&height->sources, time, limit, err));
    else
        BW_TRY(bw_liquid_step_limit(&height->sources, time, limit, err));
    return bw_liquid_limit_waves(&height->sources, time, limit, err);
}

static void extend_velocity(BwHeight *height, int layers)
{
    bw_extrapolate(&height->faces, &height->flow.domain,
                   (BwExtrapolation){BW_FROM_FLUID, layers, bw_height_band(height)}, &height->flow.velocity);
}

// The grid at the start of a step: solids with their speed, walls, labels, and velocity around the liquid.
static BwResult prepare(BwHeight *height, double time, double dt, BwError *err)
{
    BwFlow *flow = &height->flow;
    BW_TRY(bw_flow_aim_solids(flow, time, dt, err));
    BW_TRY(bw_flow_set_walls(flow, time + dt, err));
    bw_height_label(height);
    bw_find_passable_faces(&height->faces, &flow->domain);
    extend_velocity(height, LAYERS);
    return BW_OK;
}

// By the explicit scheme.
static BwResult step_velocity(BwHeight *height, const BwLiquidForces *forces, BwStats *stats, BwError *err)
{
    BwFlow *flow = &height->flow;
    bw_columns_find_head(&height->columns, -forces->gravity.y, flow->pool, &height->head);
    BW_TRY(bw_explicit_find_velocity(&height->scheme, &height->sources, &height->faces, forces, stats, err));
    if (flow->measures.is_due)
        height->divergence = bw_full_divergence_max(&height->scheme.cells, &flow->domain, &flow->velocity);
    return BW_OK;
}

// The surface by the velocity, in as many steps of its own as it crosses cells.
static void move_surface(BwHeight *height, double dt, BwStats *stats)
{
    BwFlow *flow = &height->flow;
    double cells =
        (double)bw_velocity_max(&flow->domain, &flow->velocity) * dt / (double)flow->grid->cell_size;
    int parts = (int)fmax(ceil(fmin(cells, 64.0) / surface_cells), 1.0);
    BwColumnStep step = {.domain = &flow->domain,
                         .passable = height->faces.passable,
                         .velocity = &flow->velocity,
                         .donor = (double)height->scene->liquid.donor_cell,
                         .dt = dt / parts};
    bw_height_add_sources(height);
    for (int n = 0; n < parts; n++)
        bw_height_account(height, bw_columns_move(&height->columns, &step), stats);
}

static void carry_velocity(BwHeight *height, double dt)
{
    BwFlow *flow = &height->flow;
    bw_flow_advect_known(flow, height->faces.known, &flow->velocity, &height->carried, dt);
    bw_velocity_swap(&flow->velocity, &height->carried);
}

static BwResult part_of_step(void *solver, double time, double dt, BwStats *stats, BwError *err)
{
    BwHeight *height = solver;
    BwFlow *flow = &height->flow;
    BwStageClock clock = bw_stage_clock(stats, flow->pool);
    BwLiquidForces forces = {.time = time, .dt = dt};
    double last_dt = height->is_explicit ? dt : height->last_dt;
    bw_stage(&clock, "tiles");
    bw_flow_begin_measures(flow, time, dt, stats);
    BW_TRY(bw_liquid_find_pressure(&height->sources, time, dt, last_dt, err));
    BW_TRY(bw_liquid_sources_plan(&height->sources, time, dt, err));
    BW_TRY(prepare(height, time, dt, err));
    BW_TRY(bw_liquid_sources_act(&height->sources, time, dt, err));
    bw_height_hold_back(height, time, dt);
    BW_TRY(bw_liquid_look_up_forces(flow, last_dt, &forces, err));
    BW_TRY(bw_obey_stop(height->stop, err));
    bw_stage(&clock, "pressure");
    BW_TRY(height->is_explicit ? step_velocity(height, &forces, stats, err)
                               : bw_liquid_project(&height->sources, &height->faces, NULL, &forces,
                                                   &height->divergence, stats, err));
    height->last_dt = dt;
    BW_TRY(bw_obey_stop(height->stop, err));
    bw_stage(&clock, "extrapolate");
    bw_liquid_sources_open_mouths(&height->sources);
    extend_velocity(height, LAYERS);
    bw_stage(&clock, "surface");
    BW_TRY(bw_flow_land_solids(flow, time, dt, err));
    height->must_measure_solids |= bw_scene_solids_have_moved(&flow->solids);
    bw_flow_move_bodies(flow, &height->phi, &height->liquid, forces.gravity, dt);
    move_surface(height, dt, stats);
    BW_TRY(bw_height_spray(height, forces.gravity, time, dt, err));
    bw_stage(&clock, "advection");
    if (!height->is_explicit)
        carry_velocity(height, dt);
    bw_stage(&clock, "tiles");
    bw_height_label(height);
    bw_height_squeeze_out(height, time, stats);
    flow->max_speed = bw_velocity_max(&flow->domain, &flow->velocity);
    bw_stage(&clock, NULL);
    return BW_OK;
}

// A step that a scene makes longer than its limit is taken in stable parts.
static BwResult height_step(void *solver, double time, double dt, BwStats *stats, BwError *err)
{
    BwHeight *height = solver;
    BwPartedStep step = {&height->sources, solver, height_step_limit, part_of_step};
    return bw_explicit_step_in_parts(&step, time, dt, stats, err);
}

static BwResult height_drive(void *solver, double time, BwDrive *drive, BwError *err)
{
    return bw_liquid_drive(&((BwHeight *)solver)->sources, time, drive, err);
}

static BwFlow *height_flow(void *solver)
{
    return &((BwHeight *)solver)->flow;
}

static bool runs_height(const BwSceneDef *scene)
{
    return scene->liquid.method == BW_LIQUID_HEIGHT;
}

const BwSolverType bw_height_solver = {
    .fluid = BW_FLUID_LIQUID,
    .runs = runs_height,
    .create = height_create,
    .destroy = height_destroy,
    .step_limit = height_step_limit,
    .step = height_step,
    .measure = bw_height_measure,
    .frame = bw_height_frame,
    .flow = height_flow,
    .state_fields = bw_height_state_fields,
    .drive = height_drive,
    .check = bw_height_check,
    .save = bw_height_save,
    .load = bw_height_load,
    .agree = bw_height_agree,
};
