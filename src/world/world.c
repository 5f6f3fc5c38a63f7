// The world: owns the pool and a solver, keeps the clock, and makes frames. It keeps a copy of the state at
// the last whole frame; a frame whose numbers go wrong is begun again from there, in shorter steps.
#include "base/clock.h"
#include "base/memory.h"
#include "base/need.h"
#include "scene/listing.h"
#include "world/runaway.h"
#include "world/stepping.h"
#include "world/world_record.h"
#include "world/world_solver.h"
#include <billow/world.h>

#include <math.h>
#include <string.h>

struct BwWorld {
    BwAllocator allocator;
    BwLog log;
    const BwSceneDef *scene;
    uint64_t identity; // of the scene
    uint64_t run_id;   // 0: none
    BwPool *pool;
    const BwSolverType *type;
    void *solver;
    int frame_number;
    double time; // s
    BwFrame frame;
    bool has_frame;           // `frame` shows the present
    const volatile int *stop; // of the frame that is being made, or NULL
    BwRecord record;          // the state at frame `frame_number`
    bool has_record;          // `record` is filled
    BwStats stats;
    BwRunawayWatch watch;
    bool has_told_runaway, has_told_cap; // said once
};

enum { COOKIE = 0x42574c31, RETRIES_MAX = 6 };

static const BwSolverType *const solver_types[] = {&bw_smoke_solver, &bw_stable_solver};

BwWorldDef bw_world_def_default(void)
{
    return (BwWorldDef){.cookie = COOKIE};
}

static const BwSolverType *find_solver(BwFluid fluid)
{
    for (size_t n = 0; n < sizeof solver_types / sizeof *solver_types; n++)
        if (solver_types[n]->fluid == fluid)
            return solver_types[n];
    return NULL;
}

static BwResult create_parts(BwWorld *world, const BwWorldDef *def, BwError *err)
{
    BwPoolDef pool = {
        .allocator = world->allocator, .scheduler = def->scheduler, .worker_count = def->worker_count};
    BW_TRY(bw_pool_create(&world->pool, &pool, err));
    BwSolverSetup solver = {.scene = def->scene,
                            .allocator = world->allocator,
                            .pool = world->pool,
                            .log = def->log,
                            .watch = def->watch,
                            .stop = &world->stop};
    BW_TRY(world->type->create(&world->solver, &solver, err));
    world->stats.stop_reason = BW_STOP_EMPTY; // nothing was solved for yet
    world->type->measure(world->solver, &world->stats);
    world->watch = bw_runaway_begin(&world->stats);
    return BW_OK;
}

BwResult bw_world_create(BwWorld **out, const BwWorldDef *def, BwError *err)
{
    return bw_world_create_of(out, def, NULL, err);
}

BwResult bw_world_create_of(BwWorld **out, const BwWorldDef *def, const BwSolverType *type, BwError *err)
{
    BW_TRY(bw_need(out, "the place for the world", err));
    *out = NULL;
    BW_TRY(bw_need(def, "the BwWorldDef", err));
    if (def->cookie != COOKIE)
        return bw_fail(err, BW_ERR_DEF, "the BwWorldDef was not made by bw_world_def_default");
    if (def->scene == NULL)
        return bw_fail(err, BW_ERR_DEF, "the BwWorldDef has no scene");
    BW_TRY(bw_scene_def_check(def->scene, err));
    if (type == NULL)
        BW_TRY(bw_scene_def_check_runnable(def->scene, err));
    BwAllocator allocator = bw_allocator_or_default(def->allocator);
    BwWorld *world = bw_alloc_zeroed(&allocator, sizeof *world, BW_ALIGN);
    if (world == NULL)
        return bw_fail_memory(err);
    *world = (BwWorld){
        .allocator = allocator, .log = def->log, .scene = def->scene, .record = {.allocator = allocator}};
    world->run_id = def->run_id;
    world->type = type != NULL ? type : find_solver(def->scene->fluid);
    BwResult result = bw_scene_identity(def->scene, &world->identity, err);
    if (result == BW_OK)
        result = create_parts(world, def, err);
    if (result != BW_OK)
        bw_world_destroy(world);
    else
        *out = world;
    return result;
}

void bw_world_destroy(BwWorld *world)
{
    if (world == NULL)
        return;
    BwAllocator allocator = world->allocator;
    if (world->solver != NULL)
        world->type->destroy(world->solver);
    bw_pool_destroy(world->pool);
    bw_record_free(&world->record);
    bw_free(&allocator, world, sizeof *world, BW_ALIGN);
}

static void count_step(BwStats *stats, double dt)
{
    stats->dt_min = stats->steps == 0 ? dt : fmin(stats->dt_min, dt);
    stats->dt_max = fmax(stats->dt_max, dt);
    stats->steps++;
}

static BwResult write_record(BwWorld *world, BwError *err)
{
    const BwSceneDef *scene = world->scene;
    BwRecord *record = &world->record;
    void *identity;
    bw_record_clear(record);
    BW_TRY(bw_record_add(record, "scene", BW_RECORD_INT32, 1, 2, &identity, err));
    memcpy(identity, &world->identity, sizeof world->identity);
    BW_TRY(bw_record_add_number(record, "fluid", (double)scene->fluid, err));
    BW_TRY(bw_record_add_number(record, "dimension", (double)scene->dimension, err));
    BW_TRY(bw_record_add_number(record, "cell", (double)scene->cell, err));
    BW_TRY(bw_record_add_number(record, "frame", (double)world->frame_number, err));
    BW_TRY(bw_record_add_number(record, "time", world->time, err));
    BW_TRY(bw_runaway_save(&world->watch, record, err));
    return bw_solver_save(world->type, world->solver, record, err);
}

const BwRecord *bw_world_record(BwWorld *world, BwError *err)
{
    if (!world->has_record)
        world->has_record = write_record(world, err) == BW_OK;
    return world->has_record ? &world->record : NULL;
}

const BwAllocator *bw_world_allocator(const BwWorld *world)
{
    return &world->allocator;
}

uint64_t bw_world_run_id(const BwWorld *world)
{
    return world->run_id;
}

static BwResult check_same(const BwRecord *record, const char *name, double wanted, BwError *err)
{
    double found;
    BW_TRY(bw_record_find_number(record, name, &found, err));
    if (found == wanted)
        return BW_OK;
    return bw_fail(err, BW_ERR_FORMAT, "the state is of another scene: its %s is %.9g, the scene's is %.9g",
                   name, found, wanted);
}

// A record from before scenes had an identity tells nothing and is taken.
static BwResult check_identity(const BwWorld *world, const BwRecord *record, BwError *err)
{
    const void *identity;
    int64_t rows = 1;
    if (!bw_record_has(record, "scene"))
        return BW_OK;
    BW_TRY(bw_record_find(record, "scene", BW_RECORD_INT32, &rows, 2, &identity, err));
    if (memcmp(identity, &world->identity, sizeof world->identity) == 0)
        return BW_OK;
    return bw_fail(
        err, BW_ERR_FORMAT,
        "the state is of another scene: its cells are of the same size, but not all that shapes the "
        "flow is the same");
}

static BwResult check_scene(const BwWorld *world, const BwRecord *record, double frame, BwError *err)
{
    if (!(frame >= 0.0 && frame < 1e9 && frame == floor(frame)))
        return bw_fail(err, BW_ERR_FORMAT, "the state's frame is %g", frame);
    BW_TRY(check_same(record, "fluid", (double)world->scene->fluid, err));
    BW_TRY(check_same(record, "dimension", (double)world->scene->dimension, err));
    BW_TRY(check_same(record, "cell", (double)world->scene->cell, err));
    return check_same(record, "time", bw_frame_time((int)frame, world->scene->fps), err);
}

// The frame of the record is the present one.
static BwResult take_record(BwWorld *world, const BwRecord *record, bool of_any_scene, BwError *err)
{
    double frame;
    BW_TRY(bw_record_find_number(record, "frame", &frame, err));
    BW_TRY(check_scene(world, record, frame, err));
    if (!of_any_scene)
        BW_TRY(check_identity(world, record, err));
    BW_TRY(bw_solver_load(world->type, world->solver, record, err));
    world->frame_number = (int)frame;
    world->time = bw_frame_time(world->frame_number, world->scene->fps);
    world->has_frame = false;
    return BW_OK;
}

BwResult bw_world_restore(BwWorld *world, const BwRecord *record, bool of_any_scene, BwError *err)
{
    world->has_record = false;
    BwError reason = {0};
    BW_TRY(bw_record_check_finite(record, "runaway_watch", err)); // which has no energy while driven
    BW_TRY(take_record(world, record, of_any_scene, err));
    if (!of_any_scene)
        BW_TRY(bw_solver_agree(world->type, world->solver, record, err));
    if (bw_solver_check(world->type, world->solver, 0.0, &reason) != BW_OK)
        return bw_fail(err, BW_ERR_FORMAT, "no run leaves such a state: %s", reason.message);
    world->stats = (BwStats){.frame = world->frame_number, .time = world->time};
    world->type->measure(world->solver, &world->stats);
    return bw_runaway_load(&world->watch, record, &world->stats, err);
}

// Each retry halves the steps, fixed ones, the shortest allowed, and those of a world at rest that knows no
// limit yet: a frame that breaks is worse than one that takes long.
static BwStepRule step_rule(const BwSceneDef *scene, int retry)
{
    double longest = retry > 0 ? fmin(scene->dt_max, ldexp(1.0 / scene->fps, -retry)) : scene->dt_max;
    return (BwStepRule){ldexp(scene->dt_min, -retry), longest, scene->steps << retry,
                        scene->steps_max << retry};
}

static void tell_cap(BwWorld *world)
{
    world->stats.steps_capped++;
    if (!world->has_told_cap)
        bw_log(&world->log, BW_LOG_WARNING,
               "frame %d would take more than steps_max = %d steps: its steps are longer than cfl = %g asks, "
               "and less exact; the stats count such steps as steps_capped",
               world->frame_number + 1, world->scene->steps_max, (double)world->scene->cfl);
    world->has_told_cap = true;
}

static BwResult step_once(BwWorld *world, double frame_end, BwError *err)
{
    int retry = world->stats.retries;
    BwStepRule rule = step_rule(world->scene, retry);
    double limit;
    BW_TRY(world->type->step_limit(world->solver, world->time, &limit, err));
    double dt = bw_next_step(&rule, world->time, frame_end, ldexp(limit, -retry), world->stats.steps);
    if (bw_step_is_capped(&rule, world->time, frame_end, ldexp(limit, -retry), world->stats.steps))
        tell_cap(world);
    bool is_last = dt >= frame_end - world->time;
    BW_TRY(world->type->step(world->solver, world->time, dt, &world->stats, err));
    BW_TRY(bw_solver_check(world->type, world->solver, dt, err));
    count_step(&world->stats, dt);
    world->time = is_last ? frame_end : world->time + dt;
    return BW_OK;
}

static BwResult step_to(BwWorld *world, double frame_end, const volatile int *stop, BwError *err)
{
    while (world->time < frame_end) {
        BW_TRY(step_once(world, frame_end, err));
        if (stop != NULL && *stop != 0)
            return bw_fail(err, BW_ERR_INTERRUPTED, "interrupted at %.6g s, on the way to frame %d",
                           world->time, world->frame_number + 1);
    }
    return BW_OK;
}

// The world is back at the last whole frame, whatever it tells.
static BwResult go_back(BwWorld *world, const BwError *trouble, BwError *err)
{
    int retry = world->stats.retries;
    double time = world->time;
    BW_TRY(take_record(world, &world->record, false, err));
    if (retry == RETRIES_MAX)
        return bw_fail(err, BW_ERR_NUMERICS,
                       "frame %d broke down at %.6g s and did so again %d times with shorter steps: %s",
                       world->frame_number + 1, time, RETRIES_MAX, trouble->message);
    bw_log(&world->log, BW_LOG_WARNING, "frame %d is begun again in shorter steps: at %.6g s %s",
           world->frame_number + 1, time, trouble->message);
    world->stats = (BwStats){.frame = world->frame_number + 1, .retries = retry + 1};
    return BW_OK;
}

// The flow goes on: it is for those who look at it to stop.
static BwResult watch_flow(BwWorld *world, BwError *err)
{
    BwDrive drive;
    BwStats *stats = &world->stats;
    BW_TRY(bw_solver_drive(world->type, world->solver, world->time, &drive, err));
    if (!bw_runaway_look(&world->watch, &drive, 1.0 / world->scene->fps, stats))
        return BW_OK;
    BwVec3 at = stats->runaway.place = bw_solver_fastest_place(world->type, world->solver);
    if (!world->has_told_runaway)
        bw_log(&world->log, BW_LOG_WARNING,
               "the flow runs away: at %.6g s (frame %d) it has %.3g m/s near (%.3g, %.3g, %.3g) m, and "
               "%.3g m/s is all that drives it; do not trust it from here on",
               world->time, stats->frame, (double)stats->max_speed, (double)at.x, (double)at.y, (double)at.z,
               (double)stats->runaway.explained_speed);
    world->has_told_runaway = true;
    return BW_OK;
}

BwResult bw_world_step_frame(BwWorld *world, const volatile int *stop, BwError *err)
{
    BW_TRY(bw_need(world, "the world", err));
    double began = bw_clock_seconds();
    double frame_end = bw_frame_time(world->frame_number + 1, world->scene->fps);
    BwError trouble;
    if (bw_world_record(world, err) == NULL)
        return BW_ERR_MEMORY;
    world->has_frame = false;
    world->stop = stop;
    world->stats = (BwStats){.frame = world->frame_number + 1};
    BwResult result = step_to(world, frame_end, stop, &trouble);
    while (result == BW_ERR_NUMERICS) {
        BW_TRY(go_back(world, &trouble, err));
        result = step_to(world, frame_end, stop, &trouble);
    }
    if (result != BW_OK)
        return bw_fail(err, result, "%s", trouble.message);
    world->frame_number++;
    world->has_record = false;
    world->stats.time = world->time;
    world->type->measure(world->solver, &world->stats);
    BW_TRY(watch_flow(world, err));
    world->stats.seconds = bw_clock_seconds() - began;
    return BW_OK;
}

const BwFrame *bw_world_view_frame(BwWorld *world, BwError *err)
{
    if (bw_need(world, "the world", err) != BW_OK)
        return NULL;
    if (!world->has_frame) {
        // The state at a whole frame is kept anyway, so the frame need not be copied as well.
        bool is_whole = world->time == bw_frame_time(world->frame_number, world->scene->fps);
        const BwRecord *kept = is_whole ? bw_world_record(world, err) : NULL;
        if (is_whole && kept == NULL)
            return NULL;
        world->frame = (BwFrame){.number = world->frame_number,
                                 .time = world->time,
                                 .has_walls = world->scene->has_walls,
                                 .walls = {world->scene->walls.min, world->scene->walls.max}};
        if (world->type->frame(world->solver, kept, &world->frame, err) != BW_OK)
            return NULL;
        world->has_frame = true;
    }
    return &world->frame;
}

const BwStats *bw_world_view_stats(const BwWorld *world)
{
    return world != NULL ? &world->stats : NULL;
}
