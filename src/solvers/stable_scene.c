// The stable box in a scene. The box keeps the dense arrays of its paper; a grid of tiles beside it holds the
// same values between steps, so that shapes are stamped, solids labelled and frames made by the operations
// that every fluid uses. Invariant: after create and after each step box and tiles agree.
#include "domain/energy.h"
#include "domain/measure.h"
#include "domain/solids_record.h"
#include "flow/scene_box.h"
#include "flow/scene_drive.h"
#include "flow/scene_solids.h"
#include "flow/scene_sources.h"
#include "flow/stage_clock.h"
#include "flow/state_agree.h"
#include "grid/follow.h"
#include "grid/frame_copy.h"
#include "grid/grid_record.h"
#include "operate/dense_copy.h"
#include "operate/field_math.h"
#include "scene/curve.h"
#include "solvers/solver.h"
#include "solvers/stable_box.h"
#include <math.h>
#include <string.h>

// A step projects after diffusion and after advection.
enum { PROJECTIONS = 2 };

typedef struct StableScene {
    const BwSceneDef *scene;
    BwAllocator allocator;
    BwPool *pool;
    BwStable *box;
    int32_t low[3]; // the grid's cell that is the box's cell (0, 0, 0)
    int patch_side[BW_STABLE_PATCHES_MAX];

    BwGrid *grid;
    BwFollowPlan plan;
    BwDomain domain;
    BwVelocity velocity; // at cell centres, as in the box
    BwField density;
    BwSceneSolids solids;
    uint8_t *cells, *faces; // of the box: solid cells, closed faces
    size_t cell_count;
    BwFrameCopy frame;
    float solids_dt; // s, of the step that the solids last moved in
} StableScene;

// Bounds that hold all cells of the box.
static BwGridDef grid_def(const BwSolverSetup *setup)
{
    BwGridDef def = bw_scene_grid_def(setup->scene, setup->allocator);
    def.bounds = bw_scene_cells(&def);
    for (int a = 0; a < 3; a++)
        def.is_open[a] = false; // the box knows its open sides itself
    return def;
}

static BwVec3 box_point(const StableScene *s, float i, float j, float k)
{
    float h = s->scene->cell;
    float z = s->scene->dimension == 3 ? ((float)s->low[2] + k) * h : 0.0f;
    return bw_vec3(((float)s->low[0] + i) * h, ((float)s->low[1] + j) * h, z);
}

// The cells of a side whose outer faces lie in a shape, as the smallest rectangle; false when there are none.
static bool cover_side(const StableScene *s, const int size[3], const BwShape *part, BwStablePatch *patch)
{
    int axis = patch->side / 2, across = axis == 0 ? 1 : 0, along = axis == 2 ? 1 : 2;
    bool is_any = false;
    for (int b = 0; b < size[along]; b++)
        for (int a = 0; a < size[across]; a++) {
            float at[3];
            at[axis] = patch->side & 1 ? (float)size[axis] : 0.0f;
            at[across] = (float)a + 0.5f;
            at[along] = (float)b + 0.5f;
            if (part->kind != BW_SHAPE_NONE &&
                bw_shape_distance(part, box_point(s, at[0], at[1], at[2])) > 0.0f)
                continue;
            const int cell[2] = {a, b};
            for (int d = 0; d < 2; d++) {
                patch->low[d] = is_any && patch->low[d] < cell[d] ? patch->low[d] : cell[d];
                patch->high[d] = is_any && patch->high[d] > cell[d] ? patch->high[d] : cell[d] + 1;
            }
            is_any = true;
        }
    return is_any;
}

// A whole open side is a kind of the box; parts of sides and inflows are patches.
static BwResult set_side(StableScene *s, BwStableBoxDef *def, int side, BwError *err)
{
    static const char *const sides[BW_SIDE_COUNT] = {"left", "right", "bottom", "top", "back", "front"};
    const BwWallSideDef *wall = &s->scene->walls.side[side];
    BwStableKind kind = wall->kind == BW_WALL_CLOSED   ? BW_STABLE_WALL
                        : wall->kind == BW_WALL_INFLOW ? BW_STABLE_INFLOW
                                                       : BW_STABLE_OPEN;
    if (kind == BW_STABLE_WALL)
        return BW_OK;
    if (kind == BW_STABLE_OPEN && wall->part.kind == BW_SHAPE_NONE) {
        def->side[side] = kind;
        return BW_OK;
    }
    BwStablePatch patch = {.side = side, .kind = kind};
    if (!cover_side(s, def->size, &wall->part, &patch))
        return bw_fail(err, BW_ERR_SCENE, "walls.%s.part holds no face of a cell of that side", sides[side]);
    s->patch_side[def->patch_count] = side;
    def->patches[def->patch_count++] = patch;
    return BW_OK;
}

static BwResult create_box(StableScene *s, const BwGridDef *grid, BwError *err)
{
    const BwSceneDef *scene = s->scene;
    BwStableBoxDef def = bw_stable_box_def_default();
    def.allocator = s->allocator;
    def.cell = scene->cell;
    def.viscosity = scene->stable.viscosity;
    def.diffusion = scene->stable.diffusion;
    def.sweeps = scene->stable.sweeps;
    def.number = scene->stable.number;
    def.solver = scene->stable.solver;
    def.confinement = scene->stable.confinement;
    s->cell_count = 1;
    for (int a = 0; a < 3; a++) {
        s->low[a] = grid->bounds.low[a];
        def.size[a] = grid->bounds.high[a] - grid->bounds.low[a];
        def.periodic[a] = scene->walls.periodic[a];
        s->cell_count *= (size_t)def.size[a];
    }
    for (int side = 0; side < 2 * scene->dimension; side++)
        BW_TRY(set_side(s, &def, side, err));
    return bw_stable_create_on(&s->box, &def, s->pool, err);
}

static BwResult create_tiles(StableScene *s, const BwGridDef *def, BwError *err)
{
    BW_TRY(bw_grid_create(&s->grid, def, err));
    BW_TRY(bw_follow_plan(&s->plan, s->grid, NULL, &def->bounds, 1, 0, err));
    BW_TRY(bw_follow_apply(&s->plan, s->grid, err));
    BW_TRY(bw_domain_create(&s->domain, s->grid, s->pool, err)); // closed all round: every cell is solved
    BW_TRY(bw_field_create(&s->density, s->grid, BW_AT_CELL, 0.0f, err));
    for (int a = 0; a < 3; a++)
        BW_TRY(bw_field_create(&s->velocity.u[a], s->grid, BW_AT_CELL, 0.0f, err));
    return BW_OK;
}

static BwResult create_lists(StableScene *s, BwError *err)
{
    s->cells = bw_alloc_zeroed(&s->allocator, s->cell_count, BW_ALIGN);
    s->faces = bw_alloc_zeroed(&s->allocator, s->cell_count, BW_ALIGN);
    if (s->cells == NULL || s->faces == NULL)
        return bw_fail_memory(err);
    return bw_scene_solids_create(&s->solids, s->scene, s->allocator, err);
}

static void exchange(StableScene *s, bool to_box)
{
    for (int f = 0; f < BW_STABLE_FIELDS; f++) {
        if (f < 3 && f >= s->scene->dimension)
            continue;
        BwField *field = f == BW_STABLE_DENSITY ? &s->density : &s->velocity.u[f];
        BwStableView view = bw_stable_field(s->box, (BwStableField)f);
        if (to_box)
            bw_field_to_dense(field, s->pool, s->low, view);
        else
            bw_field_from_dense(field, s->pool, s->low, view);
    }
}

// A face is closed as well where its middle lies in a solid that holds neither cell's: plates thinner than a
// cell.
static bool is_in_solid(const StableScene *s, BwVec3 point)
{
    for (int n = 0; n < s->scene->obstacle_count; n++)
        if (bw_shape_distance(s->solids.poses[n].shape, bw_pose_to_local(s->solids.poses[n].pose, point)) <=
            0.0f)
            return true;
    return false;
}

static void solids_range(int64_t begin, int64_t end, int worker, void *context)
{
    (void)worker;
    StableScene *s = context;
    const int *size = s->box->size;
    float k_middle = s->scene->dimension == 3 ? 0.5f : 0.0f;
    for (int64_t q = begin; q < end && !box_is_stopped(s->box); q++) {
        float j = (float)(q % size[1]), k = (float)(q / size[1]);
        for (int n = 0; n < size[0]; n++) {
            float i = (float)n;
            size_t c = (size_t)n + (size_t)size[0] * (size_t)q;
            s->cells[c] = is_in_solid(s, box_point(s, i + 0.5f, j + 0.5f, k + k_middle));
            int faces = is_in_solid(s, box_point(s, i, j + 0.5f, k + k_middle)) |
                        is_in_solid(s, box_point(s, i + 0.5f, j, k + k_middle)) << 1;
            if (s->scene->dimension == 3)
                faces |= is_in_solid(s, box_point(s, i + 0.5f, j + 0.5f, k)) << 2;
            s->faces[c] = (uint8_t)faces;
        }
    }
}

static void place_solids(StableScene *s)
{
    if (s->scene->obstacle_count == 0)
        return;
    bw_parallel_for(s->pool, box_row_count(s->box), 4, solids_range, s);
    bw_stable_set_faces(s->box, s->faces);
    bw_stable_set_solids(s->box, s->cells);
}

static BwResult move_solids(StableScene *s, double time, double dt, BwError *err)
{
    BW_TRY(bw_scene_solids_move(&s->solids, time, dt, err));
    s->solids_dt = (float)dt;
    if (bw_scene_solids_have_moved(&s->solids)) {
        place_solids(s);
        bw_domain_label(&s->domain, s->solids.poses, s->scene->obstacle_count);
    }
    return BW_OK;
}

// Velocity lives in cells here, so it is set where the density is.
static BwSourceFields source_fields(StableScene *s)
{
    const BwMask *open = &s->domain.open;
    return (BwSourceFields){.domain = &s->domain,
                            .velocity = &s->velocity,
                            .flow = {open, open, open},
                            .density = &s->density,
                            .solids = s->solids.poses};
}

static BwResult run_force(StableScene *s, const BwForceDef *def, double time, double dt, BwError *err)
{
    BwForce force;
    BW_TRY(bw_scene_force_at(def, s->scene, time, &force, err));
    BwDomain centres = s->domain; // velocity lives in cells here, not on faces
    for (int a = 0; a < 3; a++)
        centres.flow[a] = s->domain.open;
    bw_add_forces(&centres, centres.flow, &s->velocity, &force, 1, (float)dt);
    return BW_OK;
}

static BwResult run_sources(StableScene *s, double time, double dt, BwStats *stats, BwError *err)
{
    const BwSceneDef *scene = s->scene;
    BwSourceFields fields = source_fields(s);
    BW_TRY(bw_scene_run_sources(scene, &fields, time, dt, stats, err));
    for (int n = 0; n < scene->force_count; n++)
        if (bw_is_on(scene->forces[n].start, scene->forces[n].stop, time))
            BW_TRY(run_force(s, &scene->forces[n], time, dt, err));
    return BW_OK;
}

static BwResult set_inflows(StableScene *s, double time, BwError *err)
{
    for (int n = 0; n < s->box->def.patch_count; n++) {
        float velocity[4];
        BW_TRY(bw_curve_at(&s->scene->walls.side[s->patch_side[n]].velocity, time, velocity, err));
        BW_TRY(bw_stable_try_inflow(s->box, n, velocity, 0.0f, err));
    }
    return BW_OK;
}

static void stable_destroy(void *solver)
{
    StableScene *s = solver;
    if (s == NULL)
        return;
    BwAllocator allocator = s->allocator;
    bw_scene_solids_destroy(&s->solids);
    bw_stable_destroy(s->box);
    bw_domain_destroy(&s->domain);
    bw_velocity_destroy(&s->velocity);
    bw_field_destroy(&s->density);
    bw_follow_free(&s->plan, &allocator);
    bw_frame_copy_free(&s->frame, &allocator);
    bw_grid_destroy(s->grid);
    bw_free(&allocator, s->cells, s->cell_count, BW_ALIGN);
    bw_free(&allocator, s->faces, s->cell_count, BW_ALIGN);
    bw_free(&allocator, s, sizeof *s, BW_ALIGN);
}

static BwResult start(StableScene *s, BwWatch watch, BwError *err)
{
    s->solids_dt = 1.0f;
    bw_domain_label(&s->domain, s->solids.poses, s->scene->obstacle_count);
    BwSourceFields fields = source_fields(s);
    BW_TRY(bw_scene_fill(s->scene, &fields, watch, err));
    exchange(s, true);
    place_solids(s);
    exchange(s, false);
    return BW_OK;
}

static BwResult stable_create(void **out, const BwSolverSetup *setup, BwError *err)
{
    *out = NULL;
    StableScene *s = bw_alloc_zeroed(&setup->allocator, sizeof *s, BW_ALIGN);
    if (s == NULL)
        return bw_fail_memory(err);
    s->scene = setup->scene;
    s->allocator = setup->allocator;
    s->pool = setup->pool;
    BwGridDef grid = grid_def(setup);
    BwResult result = create_box(s, &grid, err);
    if (result == BW_OK) {
        s->box->stop = setup->stop;
        result = create_tiles(s, &grid, err);
    }
    if (result == BW_OK)
        result = create_lists(s, err);
    if (result == BW_OK)
        result = start(s, setup->watch, err);
    if (result != BW_OK)
        stable_destroy(s);
    else
        *out = s;
    return result;
}

// Any step is stable: the scene's frame rate, or its `steps`, decides.
static BwResult stable_step_limit(void *solver, double time, double *limit, BwError *err)
{
    (void)solver, (void)time, (void)err;
    *limit = (double)INFINITY;
    return BW_OK;
}

// Fixed sweeps stop when they are done, and nobody looks at the residual.
static void tell_solves(const StableScene *s, BwStats *stats)
{
    const BwStableBoxDef *def = &s->box->def;
    BwStableReport report = bw_stable_report(s->box);
    bool is_fixed = def->solver == BW_STABLE_RELAXATION;
    bool is_done = !is_fixed && report.residual <= def->tolerance;
    BwStop reason = is_done ? BW_STOP_CONVERGED : BW_STOP_ITERATIONS;
    stats->iterations += is_fixed ? PROJECTIONS * def->sweeps : report.iterations;
    stats->residual = is_fixed ? (double)NAN : fmax(stats->residual, (double)report.residual);
    stats->stop_reason = bw_stop_worst(stats->stop_reason, reason);
}

static double density_total(const StableScene *s)
{
    return bw_field_total(&s->domain, &s->density, &s->domain.open, 0.0f);
}

static BwResult stable_step(void *solver, double time, double dt, BwStats *stats, BwError *err)
{
    StableScene *s = solver;
    BwStageClock clock = bw_stage_clock(stats, s->pool);
    bw_stage(&clock, "sources");
    bw_stable_set_numbers(s->box, s->scene->stable.viscosity, s->scene->stable.diffusion,
                          s->scene->stable.confinement);
    BW_TRY(run_sources(s, time, dt, stats, err));
    BW_TRY(set_inflows(s, time, err));
    exchange(s, true);
    BW_TRY(bw_obey_stop(s->box->stop, err));
    bw_stage(&clock, "solids");
    BW_TRY(move_solids(s, time, dt, err));
    BW_TRY(bw_obey_stop(s->box->stop, err));
    bw_stage(&clock, "box");
    bool is_open = !s->box->is_sealed;
    double mass = is_open ? density_total(s) : 0.0;
    bw_stable_step(s->box, (float)dt);
    BW_TRY(bw_obey_stop(s->box->stop, err));
    bw_stage(&clock, "tiles");
    exchange(s, false);
    stats->removed[BW_REMOVED_OPEN] += is_open ? mass - density_total(s) : 0.0;
    bw_stage(&clock, NULL);
    tell_solves(s, stats);
    return BW_OK;
}

static double fastest(StableScene *s)
{
    return bw_centred_speed_max(s->grid, s->pool, &s->velocity);
}

static void stable_measure(void *solver, BwStats *stats)
{
    StableScene *s = solver;
    stats->tiles = s->grid->tile_count;
    stats->cells = bw_grid_live_cells(s->grid);
    stats->mass = density_total(s);
    stats->max_speed = (float)fastest(s);
    stats->divergence = bw_stable_divergence_max(s->box);
    stats->kinetic_energy =
        BW_AIR_DENSITY * bw_kinetic_energy_at_cells(&s->domain, &s->velocity, &s->domain.open);
    stats->fuel = stats->burnt = stats->gasified = stats->expanded = (double)NAN;
    stats->volume = stats->volume_drift = stats->heat = stats->dissipation = (double)NAN;
    for (int side = 0; side < BW_SIDE_COUNT; side++)
        stats->heat_flux[side] = (double)NAN;
}

static BwResult stable_frame(void *solver, const BwRecord *kept, BwFrame *frame, BwError *err)
{
    (void)kept; // its numbers are not laid out by tiles
    StableScene *s = solver;
    bool is_flat = s->scene->dimension == 2; // pictures of flat fluid show its speed
    const BwFrameSource sources[] = {
        {"density", "1", &s->density, NULL, false},      {"solid", "1", NULL, &s->domain.solid, false},
        {"u", "m/s", &s->velocity.u[0], NULL, !is_flat}, {"v", "m/s", &s->velocity.u[1], NULL, !is_flat},
        {"w", "m/s", &s->velocity.u[2], NULL, !is_flat},
    };
    BW_TRY(bw_frame_copy(&s->frame, frame, s->grid, s->pool, NULL, sources, is_flat ? 4 : 5, err));
    bw_scene_solids_show(&s->solids, frame);
    return BW_OK;
}

// The box cannot blow up: its solves only average. Numbers that are not finite can only come from the scene.
static BwResult stable_check(void *solver, double dt, BwError *err)
{
    (void)dt;
    StableScene *s = solver;
    double mass = density_total(s);
    double speed = fastest(s);
    if (isfinite(mass) && isfinite(speed))
        return BW_OK;
    return bw_fail(err, BW_ERR_NUMERICS, "the density sums to %g and the speed reaches %g m/s", mass, speed);
}

// The tiles are the state: a step begins by writing them to the box.
static BwResult stable_save(void *solver, BwRecord *record, BwError *err)
{
    static const char *const names[3] = {"u", "v", "w"};
    StableScene *s = solver;
    BW_TRY(bw_grid_save(s->grid, record, err));
    BW_TRY(bw_field_save(&s->density, s->pool, record, "density", err));
    for (int a = 0; a < s->scene->dimension; a++)
        BW_TRY(bw_field_save(&s->velocity.u[a], s->pool, record, names[a], err));
    BW_TRY(bw_record_add_number(record, "max_speed", fastest(s), err));
    return bw_solids_save(s->solids.poses, s->scene->obstacle_count, record, err);
}

static BwResult stable_load(void *solver, const BwRecord *record, BwError *err)
{
    static const char *const names[3] = {"u", "v", "w"};
    StableScene *s = solver;
    BW_TRY(bw_solids_load(s->solids.poses, s->scene->obstacle_count, record, err));
    BW_TRY(bw_grid_load(s->grid, record, err));
    bw_domain_label(&s->domain, s->solids.poses, s->scene->obstacle_count);
    BW_TRY(bw_field_load(&s->density, s->pool, record, "density", err));
    for (int a = 0; a < s->scene->dimension; a++)
        BW_TRY(bw_field_load(&s->velocity.u[a], s->pool, record, names[a], err));
    exchange(s, true);
    place_solids(s);
    return BW_OK;
}

// Emitters set the speed, or push fluid from place to place in a box that is always whole.
static BwResult stable_drive(void *solver, double time, BwDrive *drive, BwError *err)
{
    StableScene *s = solver;
    *drive = (BwDrive){.growth_rate = 2.0f * s->scene->stable.confinement,
                       .is_closed = s->box->def.patch_count == 0};
    return bw_scene_drive(&s->solids, s->grid, s->solids_dt, time, drive, err);
}

static BwVec3 stable_fastest_place(void *solver)
{
    const StableScene *s = solver;
    return bw_velocity_fastest_place(s->grid, &s->velocity);
}

// Files from before it was written have none.
static BwResult agree_on_speed(StableScene *s, const BwRecord *record, BwError *err)
{
    double told, found = fastest(s);
    if (!bw_record_has(record, "max_speed"))
        return BW_OK;
    BW_TRY(bw_record_find_number(record, "max_speed", &told, err));
    if (told == found)
        return BW_OK;
    return bw_fail(err, BW_ERR_FORMAT,
                   "\"max_speed\" of the state is %.9g m/s; its velocity reaches %.9g m/s", told, found);
}

// How long the last step was is not part of the state, so where solids stood before it is not known.
static BwResult stable_agree(void *solver, const BwRecord *record, BwError *err)
{
    StableScene *s = solver;
    double time;
    BW_TRY(agree_on_speed(s, record, err));
    BW_TRY(bw_record_find_number(record, "time", &time, err));
    BW_TRY(bw_state_agree_on_box(s->scene, s->grid, err));
    return bw_state_agree_on_solids(&s->solids, time, -1.0, err);
}

const BwSolverType bw_stable_solver = {
    .fluid = BW_FLUID_STABLE,
    .create = stable_create,
    .destroy = stable_destroy,
    .step_limit = stable_step_limit,
    .step = stable_step,
    .measure = stable_measure,
    .drive = stable_drive,
    .fastest_place = stable_fastest_place,
    .frame = stable_frame,
    .check = stable_check,
    .save = stable_save,
    .load = stable_load,
    .agree = stable_agree,
};
