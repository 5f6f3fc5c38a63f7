// The stable box in a scene. The box keeps the dense arrays of its paper; a grid of tiles beside it holds the
// same values between steps, so that shapes are stamped, solids labelled and frames made by the operations
// that every fluid uses. Invariant: after create and after each step box and tiles agree.
#include "grid/follow.h"
#include "grid/frame_copy.h"
#include "grid/grid_record.h"
#include "operate/emit.h"
#include "operate/forces.h"
#include "operate/measure.h"
#include "operate/solids_record.h"
#include "solid/motion.h"
#include "solvers/solver.h"
#include "solvers/stable_box.h"
#include "solvers/stage_clock.h"
#include <math.h>
#include <string.h>

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
    BwSolidPose *solids;
    BwFrameSolid *frame_solids;
    uint8_t *cells, *faces; // of the box: solid cells, closed faces
    size_t cell_count;
    BwFrameCopy frame;
    float max_speed; // m/s
} StableScene;

static int32_t cell_near(float meters, float h, double round(double), double slack)
{
    return (int32_t)round((double)meters / (double)h + slack);
}

// Walls grow outwards to whole cells, periods to whole tiles.
static BwGridDef grid_def(const BwSolverSetup *setup)
{
    const BwSceneDef *scene = setup->scene;
    const BwWallsDef *walls = &scene->walls;
    const float low[3] = {walls->min.x, walls->min.y, walls->min.z};
    const float high[3] = {walls->max.x, walls->max.y, walls->max.z};
    BwGridDef def = {.allocator = setup->allocator,
                     .cell_size = scene->cell,
                     .dimension = scene->dimension,
                     .has_bounds = true,
                     .bounds = {.high = {0, 0, 1}}};
    for (int a = 0; a < scene->dimension; a++) {
        def.bounds.low[a] = cell_near(low[a], scene->cell, floor, 1e-4);
        def.bounds.high[a] = cell_near(high[a], scene->cell, ceil, -1e-4);
        if (!walls->periodic[a])
            continue;
        def.period_low[a] = def.bounds.low[a] >> 3;
        def.period[a] = (def.bounds.high[a] - def.bounds.low[a] + BW_TILE - 1) / BW_TILE;
        def.bounds.low[a] = def.period_low[a] * BW_TILE;
        def.bounds.high[a] = def.bounds.low[a] + def.period[a] * BW_TILE;
    }
    return def;
}

// What the box cannot do is said, not passed over.
static BwResult check_scene(const BwSceneDef *scene, BwError *err)
{
    static const char *const sides[] = {"left", "right", "bottom", "top", "back", "front"};
    if (!scene->has_walls)
        return bw_fail(err, BW_ERR_SCENE,
                       "fluid \"stable\" lives in a box; the scene needs walls { min, max }");
    for (int side = 0; side < 2 * scene->dimension; side++) {
        const BwWallSideDef *def = &scene->walls.side[side];
        if (bw_curve_is_given(&def->kind_curve))
            return bw_fail(err, BW_ERR_SCENE, "walls.%s changes its kind; fluid \"stable\" cannot",
                           sides[side]);
        if (def->kind == BW_WALL_CLOSED && bw_curve_is_given(&def->velocity))
            return bw_fail(err, BW_ERR_SCENE, "walls.%s moves; the walls of fluid \"stable\" stand still",
                           sides[side]);
    }
    return BW_OK;
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
static void set_side(StableScene *s, BwStableBoxDef *def, int side)
{
    const BwWallSideDef *wall = &s->scene->walls.side[side];
    BwStableKind kind = wall->kind == BW_WALL_CLOSED   ? BW_STABLE_WALL
                        : wall->kind == BW_WALL_INFLOW ? BW_STABLE_INFLOW
                                                       : BW_STABLE_OPEN;
    if (kind == BW_STABLE_WALL)
        return;
    if (kind == BW_STABLE_OPEN && wall->part.kind == BW_SHAPE_NONE) {
        def->side[side] = kind;
        return;
    }
    BwStablePatch patch = {.side = side, .kind = kind};
    if (!cover_side(s, def->size, &wall->part, &patch))
        return;
    s->patch_side[def->patch_count] = side;
    def->patches[def->patch_count++] = patch;
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
        set_side(s, &def, side);
    return bw_stable_create_on(&s->box, &def, s->pool, err);
}

static BwResult create_tiles(StableScene *s, const BwGridDef *def, BwError *err)
{
    BW_TRY(bw_grid_create(&s->grid, def, err));
    BW_TRY(bw_follow_plan(&s->plan, s->grid, NULL, &def->bounds, 1, 0, err));
    BW_TRY(bw_follow_apply(&s->plan, s->grid, err));
    BW_TRY(bw_domain_create(&s->domain, s->grid, s->pool, err));
    for (int side = 0; side < BW_SIDE_COUNT; side++)
        s->domain.is_closed[side] = true; // every cell of the box is solved, also beside open sides
    BW_TRY(bw_field_create(&s->density, s->grid, BW_AT_CELL, 0.0f, err));
    for (int a = 0; a < 3; a++)
        BW_TRY(bw_field_create(&s->velocity.u[a], s->grid, BW_AT_CELL, 0.0f, err));
    return BW_OK;
}

static BwResult create_lists(StableScene *s, BwError *err)
{
    size_t solids = (size_t)s->scene->obstacle_count;
    s->solids = bw_alloc_zeroed(&s->allocator, (solids + 1) * sizeof *s->solids, BW_ALIGN);
    s->frame_solids = bw_alloc_zeroed(&s->allocator, (solids + 1) * sizeof *s->frame_solids, BW_ALIGN);
    s->cells = bw_alloc_zeroed(&s->allocator, s->cell_count, BW_ALIGN);
    s->faces = bw_alloc_zeroed(&s->allocator, s->cell_count, BW_ALIGN);
    bool is_short = s->solids == NULL || s->frame_solids == NULL || s->cells == NULL || s->faces == NULL;
    return is_short ? bw_fail_memory(err) : BW_OK;
}

// A field of the box and the tiles that hold the same.
typedef struct Exchange {
    StableScene *scene;
    BwStableView view;
    BwField *field;
    bool to_box;
} Exchange;

static float read_number(BwStableView view, ptrdiff_t c)
{
    return view.values != NULL ? view.values[c] : (float)view.fixed[c] / 65536.0f;
}

static void write_number(BwStableView view, ptrdiff_t c, float value)
{
    if (view.values != NULL)
        view.values[c] = value;
    else
        view.fixed[c] = (int32_t)lrintf(fmaxf(fminf(value, 8192.0f), -8192.0f) * 65536.0f);
}

static void exchange_range(int64_t begin, int64_t end, int worker, void *context)
{
    (void)worker;
    const Exchange *job = context;
    const StableScene *s = job->scene;
    for (int64_t n = begin; n < end; n++) {
        const BwGridTile *tile = &s->grid->tiles[s->grid->order[n]];
        float *values = bw_field_tile(job->field, s->grid->order[n]);
        int32_t first[3];
        bw_tile_first_cell(s->grid, tile->coord, first);
        for (int m = 0; m < s->grid->tile_cells; m++) {
            if (!bw_bit(tile->live, m))
                continue;
            ptrdiff_t i = first[0] - s->low[0] + m % 8, j = first[1] - s->low[1] + m / 8 % 8;
            ptrdiff_t c = i + j * job->view.row + (first[2] - s->low[2] + m / 64) * job->view.plane;
            if (job->to_box)
                write_number(job->view, c, values[m]);
            else
                values[m] = read_number(job->view, c);
        }
    }
}

static void exchange(StableScene *s, bool to_box)
{
    for (int f = 0; f < BW_STABLE_FIELDS; f++) {
        if (f < 3 && f >= s->scene->dimension)
            continue;
        Exchange job = {s, bw_stable_field(s->box, (BwStableField)f),
                        f == BW_STABLE_DENSITY ? &s->density : &s->velocity.u[f], to_box};
        bw_parallel_for(s->pool, s->grid->tile_count, 16, exchange_range, &job);
    }
}

// A face is closed as well where its middle lies in a solid that holds neither cell's: plates thinner than a
// cell.
static bool is_in_solid(const StableScene *s, BwVec3 point)
{
    for (int n = 0; n < s->scene->obstacle_count; n++)
        if (bw_shape_distance(s->solids[n].shape, bw_pose_to_local(s->solids[n].pose, point)) <= 0.0f)
            return true;
    return false;
}

static void solids_range(int64_t begin, int64_t end, int worker, void *context)
{
    (void)worker;
    StableScene *s = context;
    const int *size = s->box->size;
    float k_middle = s->scene->dimension == 3 ? 0.5f : 0.0f;
    for (int64_t q = begin; q < end; q++) {
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
    bool has_moved = false;
    for (int n = 0; n < s->scene->obstacle_count; n++) {
        BwSolidPose *solid = &s->solids[n];
        solid->before = solid->pose;
        BW_TRY(bw_motion_advance(&s->scene->obstacles[n].motion, &solid->pose, time, dt, err));
        has_moved |= memcmp(&solid->before, &solid->pose, sizeof solid->pose) != 0;
    }
    if (has_moved) {
        place_solids(s);
        bw_domain_label(&s->domain, s->solids, s->scene->obstacle_count);
    }
    return BW_OK;
}

static double stamp(StableScene *s, BwField *field, const BwStamp *stamp_def)
{
    return bw_stamp(&s->domain, field, &s->domain.open, stamp_def);
}

static void stamp_velocity(StableScene *s, const BwShape *shape, const float velocity[3])
{
    for (int a = 0; a < s->scene->dimension; a++) {
        BwStamp hold = {.shape = shape, .pose = bw_pose_identity(), .value = velocity[a]};
        stamp(s, &s->velocity.u[a], &hold);
    }
}

static BwResult fill_from_function(StableScene *s, const BwPlaceCurve *curve, BwField *field, int component,
                                   BwError *err)
{
    for (int32_t n = 0; n < s->grid->tile_count && curve->function != NULL; n++) {
        const BwGridTile *tile = &s->grid->tiles[s->grid->order[n]];
        float *values = bw_field_tile(field, s->grid->order[n]);
        for (int c = 0; c < s->grid->tile_cells; c++) {
            if (!bw_bit(tile->live, c))
                continue;
            float value[4] = {0};
            BwVec3 point = bw_sample_position(s->grid, tile->coord, c, BW_AT_CELL);
            BW_TRY(curve->function(curve->user, point, value, err));
            values[c] = value[component];
        }
    }
    return BW_OK;
}

static BwResult fill(StableScene *s, BwError *err)
{
    const BwSceneDef *scene = s->scene;
    for (int a = 0; a < scene->dimension; a++)
        BW_TRY(fill_from_function(s, &scene->initial.velocity, &s->velocity.u[a], a, err));
    BW_TRY(fill_from_function(s, &scene->initial.density, &s->density, 0, err));
    for (int n = 0; n < scene->fill_count; n++) {
        const BwFillDef *def = &scene->fills[n];
        BwStamp hold = {.shape = &def->shape, .pose = bw_pose_identity(), .value = def->density};
        stamp(s, &s->density, &hold);
        const float velocity[3] = {def->velocity.x, def->velocity.y, def->velocity.z};
        stamp_velocity(s, &def->shape, velocity);
    }
    return BW_OK;
}

static bool is_on(double start, double stop, double time)
{
    return time >= start && time < stop;
}

static BwResult run_emitter(StableScene *s, const BwEmitterDef *emitter, double time, double dt,
                            BwStats *stats, BwError *err)
{
    bool is_rate = bw_curve_is_given(&emitter->density_rate);
    const BwCurve *curve = is_rate ? &emitter->density_rate : &emitter->density;
    float value[4];
    if (bw_curve_is_given(curve)) {
        BW_TRY(bw_curve_at(curve, time, value, err));
        BwStamp smoke = {.shape = &emitter->shape,
                         .pose = bw_pose_identity(),
                         .kind = is_rate ? BW_STAMP_ADD : BW_STAMP_HOLD,
                         .value = is_rate ? value[0] * (float)dt : value[0],
                         .noise = {emitter->noise.amplitude, emitter->noise.size,
                                   (float)(time * (double)emitter->noise.speed)}};
        stats->emitted += stamp(s, &s->density, &smoke);
    }
    if (bw_curve_is_given(&emitter->velocity)) {
        BW_TRY(bw_curve_at(&emitter->velocity, time, value, err));
        stamp_velocity(s, &emitter->shape, value);
    }
    return BW_OK;
}

static BwResult run_force(StableScene *s, const BwForceDef *def, double time, double dt, BwError *err)
{
    float acceleration[4], center[4], axis[4], strength[4];
    BW_TRY(bw_curve_at(&def->acceleration, time, acceleration, err));
    BW_TRY(bw_curve_at(&def->center, time, center, err));
    BW_TRY(bw_curve_at(&def->axis, time, axis, err));
    BW_TRY(bw_curve_at(&def->strength, time, strength, err));
    bool has_axis = bw_curve_is_given(&def->axis);
    BwForce force = {.shape = def->shape.kind == BW_SHAPE_NONE ? NULL : &def->shape,
                     .field = def->field,
                     .acceleration = bw_vec3(acceleration[0], acceleration[1], acceleration[2]),
                     .center = bw_vec3(center[0], center[1], center[2]),
                     .axis = has_axis ? bw_vec3(axis[0], axis[1], axis[2]) : bw_vec3(0.0f, 1.0f, 0.0f),
                     .strength = strength[0],
                     .radius = def->radius};
    BwDomain centres = s->domain; // velocity lives in cells here, not on faces
    for (int a = 0; a < 3; a++)
        centres.flow[a] = s->domain.open;
    bw_add_forces(&centres, &s->velocity, &force, 1, (float)dt);
    return BW_OK;
}

static BwResult run_sources(StableScene *s, double time, double dt, BwStats *stats, BwError *err)
{
    const BwSceneDef *scene = s->scene;
    for (int n = 0; n < scene->emitter_count; n++)
        if (is_on(scene->emitters[n].start, scene->emitters[n].stop, time))
            BW_TRY(run_emitter(s, &scene->emitters[n], time, dt, stats, err));
    for (int n = 0; n < scene->sink_count; n++) {
        BwStamp none = {.shape = &scene->sinks[n].shape, .pose = bw_pose_identity()};
        if (is_on(scene->sinks[n].start, scene->sinks[n].stop, time))
            stats->removed[BW_REMOVED_SINK] -= stamp(s, &s->density, &none);
    }
    for (int n = 0; n < scene->pump_count; n++) {
        float velocity[4];
        if (!is_on(scene->pumps[n].start, scene->pumps[n].stop, time))
            continue;
        BW_TRY(bw_curve_at(&scene->pumps[n].velocity, time, velocity, err));
        stamp_velocity(s, &scene->pumps[n].shape, velocity);
    }
    for (int n = 0; n < scene->force_count; n++)
        if (is_on(scene->forces[n].start, scene->forces[n].stop, time))
            BW_TRY(run_force(s, &scene->forces[n], time, dt, err));
    return BW_OK;
}

static BwResult set_inflows(StableScene *s, double time, BwError *err)
{
    for (int n = 0; n < s->box->def.patch_count; n++) {
        float velocity[4];
        BW_TRY(bw_curve_at(&s->scene->walls.side[s->patch_side[n]].velocity, time, velocity, err));
        bw_stable_set_inflow(s->box, n, velocity, 0.0f);
    }
    return BW_OK;
}

static void stable_destroy(void *solver)
{
    StableScene *s = solver;
    if (s == NULL)
        return;
    BwAllocator allocator = s->allocator;
    size_t solids = (size_t)s->scene->obstacle_count + 1;
    bw_stable_destroy(s->box);
    bw_domain_destroy(&s->domain);
    bw_velocity_destroy(&s->velocity);
    bw_field_destroy(&s->density);
    bw_follow_free(&s->plan, &allocator);
    bw_frame_copy_free(&s->frame, &allocator);
    bw_grid_destroy(s->grid);
    bw_free(&allocator, s->solids, solids * sizeof *s->solids, BW_ALIGN);
    bw_free(&allocator, s->frame_solids, solids * sizeof *s->frame_solids, BW_ALIGN);
    bw_free(&allocator, s->cells, s->cell_count, BW_ALIGN);
    bw_free(&allocator, s->faces, s->cell_count, BW_ALIGN);
    bw_free(&allocator, s, sizeof *s, BW_ALIGN);
}

static BwResult start(StableScene *s, BwError *err)
{
    for (int n = 0; n < s->scene->obstacle_count; n++) {
        s->solids[n].shape = &s->scene->obstacles[n].shape;
        BW_TRY(bw_motion_start(&s->scene->obstacles[n].motion, &s->solids[n].pose, err));
        s->solids[n].before = s->solids[n].pose;
    }
    bw_domain_label(&s->domain, s->solids, s->scene->obstacle_count);
    BW_TRY(fill(s, err));
    exchange(s, true);
    place_solids(s);
    exchange(s, false);
    return BW_OK;
}

static BwResult stable_create(void **out, const BwSolverSetup *setup, BwError *err)
{
    *out = NULL;
    BW_TRY(check_scene(setup->scene, err));
    StableScene *s = bw_alloc_zeroed(&setup->allocator, sizeof *s, BW_ALIGN);
    if (s == NULL)
        return bw_fail_memory(err);
    s->scene = setup->scene;
    s->allocator = setup->allocator;
    s->pool = setup->pool;
    BwGridDef grid = grid_def(setup);
    BwResult result = create_box(s, &grid, err);
    if (result == BW_OK)
        result = create_tiles(s, &grid, err);
    if (result == BW_OK)
        result = create_lists(s, err);
    if (result == BW_OK)
        result = start(s, err);
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

static BwResult stable_step(void *solver, double time, double dt, BwStats *stats, BwError *err)
{
    StableScene *s = solver;
    BwStageClock clock = bw_stage_clock(stats);
    bw_stage(&clock, "sources");
    BW_TRY(run_sources(s, time, dt, stats, err));
    BW_TRY(set_inflows(s, time, err));
    exchange(s, true);
    bw_stage(&clock, "solids");
    BW_TRY(move_solids(s, time, dt, err));
    bw_stage(&clock, "box");
    bw_stable_step(s->box, (float)dt);
    bw_stage(&clock, "tiles");
    exchange(s, false);
    bw_stage(&clock, NULL);
    BwStableReport report = bw_stable_report(s->box);
    stats->iterations += report.iterations;
    stats->residual = fmax(stats->residual, (double)report.residual);
    return BW_OK;
}

static double speed_range(int64_t begin, int64_t end, int worker, void *context)
{
    (void)worker;
    const StableScene *s = context;
    double fastest = 0.0;
    for (int64_t n = begin; n < end; n++) {
        int32_t slot = s->grid->order[n];
        for (int c = 0; c < s->grid->tile_cells; c++) {
            double sum = 0.0;
            for (int a = 0; a < s->scene->dimension; a++)
                sum += pow((double)bw_field_tile(&s->velocity.u[a], slot)[c], 2.0);
            fastest = fmax(fastest, sum);
        }
    }
    return sqrt(fastest);
}

static void stable_measure(void *solver, BwStats *stats)
{
    StableScene *s = solver;
    stats->tiles = s->grid->tile_count;
    stats->cells = bw_grid_live_cells(s->grid);
    stats->mass = bw_field_total(&s->domain, &s->density, &s->domain.open, 0.0f);
    stats->max_speed = (float)bw_parallel_max(s->pool, s->grid->tile_count, 16, speed_range, s);
    stats->divergence = bw_stable_divergence_max(s->box);
}

static BwResult stable_frame(void *solver, BwFrame *frame, BwError *err)
{
    StableScene *s = solver;
    const BwFrameSource sources[] = {
        {"density", "1", &s->density, NULL},   {"solid", "1", NULL, &s->domain.solid},
        {"u", "m/s", &s->velocity.u[0], NULL}, {"v", "m/s", &s->velocity.u[1], NULL},
        {"w", "m/s", &s->velocity.u[2], NULL},
    };
    BW_TRY(bw_frame_copy(&s->frame, frame, s->grid, sources, s->scene->dimension == 3 ? 5 : 4, err));
    for (int n = 0; n < s->scene->obstacle_count; n++) {
        const BwObstacleDef *obstacle = &s->scene->obstacles[n];
        s->frame_solids[n] =
            (BwFrameSolid){.shape = &obstacle->shape,
                           .pose = s->solids[n].pose,
                           .color = {obstacle->color[0], obstacle->color[1], obstacle->color[2]}};
    }
    frame->solids = s->frame_solids;
    frame->solid_count = s->scene->obstacle_count;
    return BW_OK;
}

// The box cannot blow up: its solves only average. Numbers that are not finite can only come from the scene.
static BwResult stable_check(void *solver, double dt, BwError *err)
{
    (void)dt;
    StableScene *s = solver;
    double mass = bw_field_total(&s->domain, &s->density, &s->domain.open, 0.0f);
    double speed = bw_parallel_max(s->pool, s->grid->tile_count, 16, speed_range, s);
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
    return bw_solids_save(s->solids, s->scene->obstacle_count, record, err);
}

static BwResult stable_load(void *solver, const BwRecord *record, BwError *err)
{
    static const char *const names[3] = {"u", "v", "w"};
    StableScene *s = solver;
    BW_TRY(bw_solids_load(s->solids, s->scene->obstacle_count, record, err));
    BW_TRY(bw_grid_load(s->grid, record, err));
    bw_domain_label(&s->domain, s->solids, s->scene->obstacle_count);
    BW_TRY(bw_field_load(&s->density, s->pool, record, "density", err));
    for (int a = 0; a < s->scene->dimension; a++)
        BW_TRY(bw_field_load(&s->velocity.u[a], s->pool, record, names[a], err));
    exchange(s, true);
    place_solids(s);
    return BW_OK;
}

const BwSolverType bw_stable_solver = {
    .fluid = BW_FLUID_STABLE,
    .create = stable_create,
    .destroy = stable_destroy,
    .step_limit = stable_step_limit,
    .step = stable_step,
    .measure = stable_measure,
    .frame = stable_frame,
    .check = stable_check,
    .save = stable_save,
    .load = stable_load,
};
