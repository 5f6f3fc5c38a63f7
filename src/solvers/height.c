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

#include <math.h>

// Layers of velocity around the liquid.
enum { LAYERS = 4 };

// Of a cell that the surface may cross in one of its own steps.
static const double surface_cells = 0.5;

static BwResult create_surface(BwHeight *height, BwError *err)
{
    const BwAllocator *allocator = &height->bulk.allocator;
    BwHeightFrame *frame = &height->frame;
    BW_TRY(bw_columns_create(&height->columns, allocator, height->bulk.flow.grid, err));
    size_t count = (size_t)height->columns.columns;
    frame->heights = bw_alloc_zeroed(allocator, count * sizeof(float), BW_ALIGN);
    frame->depths = bw_alloc_zeroed(allocator, count * sizeof(float), BW_ALIGN);
    frame->velocities = bw_alloc_zeroed(allocator, count * sizeof(BwVec3), BW_ALIGN);
    bool is_short = frame->heights == NULL || frame->depths == NULL || frame->velocities == NULL;
    return is_short ? bw_fail_memory(err) : BW_OK;
}

static BwResult create_parts(BwHeight *height, const BwSolverSetup *setup, BwError *err)
{
    BwBulkDef def = {setup->scene, setup->allocator, setup->pool, setup->stop, BW_HEIGHT_BAND};
    BW_TRY(bw_bulk_create(&height->bulk, &def, err));
    BW_TRY(create_surface(height, err));
    return bw_height_create_spray(height, err);
}

// Solids and sides of the box, then the surface, then what that makes of cells and faces.
void bw_height_label(BwHeight *height)
{
    BwBulk *bulk = &height->bulk;
    BwColumnLabels labels = {&bulk->phi, &bulk->liquid, bulk->band, bulk->is_explicit};
    bw_columns_find_room(&height->columns, &bulk->flow.domain, bw_bulk_begin_labels(bulk));
    bw_columns_find_heights(&height->columns, bulk->flow.pool);
    bw_columns_label(&height->columns, &bulk->flow.domain, &labels);
    bw_bulk_end_labels(bulk);
}

// The scene's fills: the columns, and their velocity.
static BwResult fill(BwHeight *height, BwError *err)
{
    const BwSceneDef *scene = height->bulk.scene;
    size_t bytes = (size_t)scene->fill_count * sizeof(const BwShape *);
    if (scene->fill_count == 0)
        return BW_OK;
    const BwShape **shapes = bw_alloc(&height->bulk.allocator, bytes, BW_ALIGN);
    if (shapes == NULL)
        return bw_fail_memory(err);
    for (int n = 0; n < scene->fill_count; n++) {
        shapes[n] = &scene->fills[n].shape;
        BwLevelStamp stamp = {.shape = shapes[n], .has_velocity = true, .velocity = scene->fills[n].velocity};
        bw_level_add(&height->bulk.phi, &height->bulk.flow.velocity, &height->bulk.flow.domain, &stamp,
                     height->bulk.band);
    }
    BwResult result = bw_columns_fill(&height->columns, shapes, scene->fill_count, err);
    bw_free(&height->bulk.allocator, shapes, bytes, BW_ALIGN);
    return result;
}

static BwResult start(BwHeight *height, BwWatch watch, BwError *err)
{
    BwFlow *flow = &height->bulk.flow;
    BW_TRY(bw_bulk_wake(&height->bulk, err));
    bw_height_label(height);
    BW_TRY(fill(height, err));
    BW_TRY(bw_bulk_fill_velocity(&height->bulk, watch, err));
    bw_height_label(height);
    height->bulk.given = bw_columns_volume(&height->columns);
    flow->max_speed = bw_velocity_max(&flow->domain, &flow->velocity);
    return bw_liquid_sources_start(&height->bulk.sources, err);
}

static void height_destroy(void *solver)
{
    BwHeight *height = solver;
    if (height == NULL)
        return;
    BwAllocator allocator = height->bulk.allocator;
    size_t count = (size_t)height->columns.columns;
    bw_free(&allocator, height->frame.heights, count * sizeof(float), BW_ALIGN);
    bw_free(&allocator, height->frame.depths, count * sizeof(float), BW_ALIGN);
    bw_free(&allocator, height->frame.velocities, count * sizeof(BwVec3), BW_ALIGN);
    bw_height_destroy_spray(height);
    bw_columns_destroy(&height->columns);
    bw_bulk_destroy(&height->bulk);
    bw_free(&allocator, height, sizeof *height, BW_ALIGN);
}

static BwResult height_create(void **out, const BwSolverSetup *setup, BwError *err)
{
    *out = NULL;
    BwHeight *height = bw_alloc_zeroed(&setup->allocator, sizeof *height, BW_ALIGN);
    if (height == NULL)
        return bw_fail_memory(err);
    height->bulk.allocator = setup->allocator; // by which it is destroyed
    height->log = setup->log;
    BwResult result = create_parts(height, setup, err);
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
    if (height->bulk.is_explicit)
        BW_TRY(bw_explicit_step_limit(&height->bulk.sources, time, limit, err));
    else
        BW_TRY(bw_liquid_step_limit(&height->bulk.sources, time, limit, err));
    return bw_liquid_limit_waves(&height->bulk.sources, time, limit, err);
}

// The grid at the start of a step: solids with their speed, walls, labels, and velocity around the liquid.
static BwResult prepare(BwHeight *height, double time, double dt, BwError *err)
{
    BW_TRY(bw_bulk_aim(&height->bulk, time, dt, err));
    bw_height_label(height);
    bw_find_passable_faces(&height->bulk.faces, &height->bulk.flow.domain);
    bw_bulk_extend_velocity(&height->bulk, LAYERS);
    return BW_OK;
}

static BwResult find_velocity(BwHeight *height, const BwLiquidForces *forces, BwStats *stats, BwError *err)
{
    BwBulk *bulk = &height->bulk;
    if (bulk->is_explicit)
        bw_columns_find_head(&height->columns, -forces->gravity.y, bulk->flow.pool, &bulk->head);
    return bw_bulk_find_velocity(bulk, forces, stats, err);
}

// The surface by the velocity, in as many steps of its own as it crosses cells.
static void move_surface(BwHeight *height, double dt, BwStats *stats)
{
    BwFlow *flow = &height->bulk.flow;
    double cells =
        (double)bw_velocity_max(&flow->domain, &flow->velocity) * dt / (double)flow->grid->cell_size;
    int parts = (int)fmax(ceil(fmin(cells, 64.0) / surface_cells), 1.0);
    BwColumnStep step = {.domain = &flow->domain,
                         .passable = height->bulk.faces.passable,
                         .velocity = &flow->velocity,
                         .donor = (double)height->bulk.scene->liquid.donor_cell,
                         .dt = dt / parts};
    bw_height_add_sources(height);
    for (int n = 0; n < parts; n++)
        bw_height_account(height, bw_columns_move(&height->columns, &step), stats);
}

static BwResult part_of_step(void *solver, double time, double dt, BwStats *stats, BwError *err)
{
    BwHeight *height = solver;
    BwFlow *flow = &height->bulk.flow;
    BwStageClock clock = bw_stage_clock(stats, flow->pool);
    BwLiquidForces forces = {.time = time, .dt = dt};
    double last_dt = height->bulk.is_explicit ? dt : height->bulk.last_dt;
    bw_stage(&clock, "tiles");
    bw_flow_begin_measures(flow, time, dt, stats);
    BW_TRY(bw_liquid_find_pressure(&height->bulk.sources, time, dt, last_dt, err));
    BW_TRY(bw_liquid_sources_plan(&height->bulk.sources, time, dt, err));
    BW_TRY(prepare(height, time, dt, err));
    BW_TRY(bw_liquid_sources_act(&height->bulk.sources, time, dt, err));
    bw_height_hold_back(height, time, dt);
    BW_TRY(bw_liquid_look_up_forces(flow, last_dt, &forces, err));
    BW_TRY(bw_obey_stop(height->bulk.stop, err));
    bw_stage(&clock, "pressure");
    BW_TRY(find_velocity(height, &forces, stats, err));
    height->bulk.last_dt = dt;
    BW_TRY(bw_obey_stop(height->bulk.stop, err));
    bw_stage(&clock, "extrapolate");
    bw_liquid_sources_open_mouths(&height->bulk.sources);
    bw_bulk_extend_velocity(&height->bulk, LAYERS);
    bw_stage(&clock, "surface");
    BW_TRY(bw_bulk_land_solids(&height->bulk, time, dt, err));
    bw_flow_move_bodies(flow, &height->bulk.phi, &height->bulk.liquid, forces.gravity, dt);
    move_surface(height, dt, stats);
    BW_TRY(bw_height_spray(height, forces.gravity, time, dt, err));
    bw_stage(&clock, "advection");
    bw_bulk_carry_velocity(&height->bulk, dt);
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
    BwPartedStep step = {&height->bulk.sources, solver, height_step_limit, part_of_step};
    return bw_explicit_step_in_parts(&step, time, dt, stats, err);
}

static BwResult height_drive(void *solver, double time, BwDrive *drive, BwError *err)
{
    return bw_liquid_drive(&((BwHeight *)solver)->bulk.sources, time, drive, err);
}

static BwFlow *height_flow(void *solver)
{
    return &((BwHeight *)solver)->bulk.flow;
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
