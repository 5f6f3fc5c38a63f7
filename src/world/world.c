// The world: owns its scene, the pool and a solver, and shows frames. It keeps a copy of the state after the
// last whole step, to which it goes back when a step fails.
#include "world/world_state.h"

#include "base/need.h"
#include "scene/listing.h"
#include "world/solver_types.h"
#include "world/stepping.h"
#include "world/world_solver.h"

#include <math.h>
#include <string.h>

enum { COOKIE = 0x42574c31 };

BwWorldDef bw_world_def_default(void)
{
    return (BwWorldDef){.cookie = COOKIE};
}

static BwResult create_solid_stats(BwWorld *world, BwError *err)
{
    size_t bytes = (size_t)world->scene->obstacle_count * sizeof *world->obstacle_stats;
    size_t body_bytes = (size_t)world->scene->body_count * sizeof *world->body_stats;
    world->obstacle_stats = bw_alloc_zeroed(&world->allocator, bytes, BW_ALIGN);
    world->body_stats = bw_alloc_zeroed(&world->allocator, body_bytes, BW_ALIGN);
    bool is_short =
        (world->obstacle_stats == NULL && bytes > 0) || (world->body_stats == NULL && body_bytes > 0);
    return is_short ? bw_fail_memory(err) : BW_OK;
}

void bw_world_keep_stats(BwWorld *world)
{
    BwStats *stats = &world->stats;
    if (stats->obstacle_count > 0)
        memcpy(world->obstacle_stats, stats->obstacles,
               (size_t)stats->obstacle_count * sizeof *stats->obstacles);
    stats->obstacles = world->obstacle_stats;
    if (stats->body_count > 0)
        memcpy(world->body_stats, stats->bodies, (size_t)stats->body_count * sizeof *stats->bodies);
    stats->bodies = world->body_stats;
}

static BwResult create_parts(BwWorld *world, const BwWorldDef *def, BwError *err)
{
    BwPoolDef pool = {
        .allocator = world->allocator, .scheduler = def->scheduler, .worker_count = def->worker_count};
    BW_TRY(bw_pool_create(&world->pool, &pool, err));
    BwSolverSetup solver = {.scene = world->scene,
                            .allocator = world->allocator,
                            .pool = world->pool,
                            .log = def->log,
                            .watch = def->watch,
                            .stop = &world->stop};
    BW_TRY(world->type->create(&world->solver, &solver, err));
    BW_TRY(create_solid_stats(world, err));
    world->stats.stop_reason = BW_STOP_EMPTY; // nothing was solved for yet
    world->type->measure(world->solver, &world->stats);
    bw_world_keep_stats(world);
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
    if (type == NULL) {
        BW_TRY(bw_scene_def_check_runnable(def->scene, err));
        BW_TRY(bw_solver_type_find(&type, def->scene, err));
    }
    BwAllocator allocator = bw_allocator_or_default(def->allocator);
    BwWorld *world = bw_alloc_zeroed(&allocator, sizeof *world, BW_ALIGN);
    if (world == NULL)
        return bw_fail_memory(err);
    *world = (BwWorld){.allocator = allocator,
                       .log = def->log,
                       .run_id = def->run_id,
                       .type = type,
                       .scene = &world->live.def,
                       .record = {.allocator = allocator},
                       .events = {.allocator = allocator}};
    BwResult result = bw_live_create(&world->live, def->scene, allocator, err);
    if (result == BW_OK)
        result = bw_scene_identity(world->scene, &world->identity, err);
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
    bw_event_log_free(&world->events);
    bw_free(&allocator, world->obstacle_stats,
            (size_t)world->scene->obstacle_count * sizeof *world->obstacle_stats, BW_ALIGN);
    bw_free(&allocator, world->body_stats, (size_t)world->scene->body_count * sizeof *world->body_stats,
            BW_ALIGN);
    bw_live_destroy(&world->live);
    bw_free(&allocator, world, sizeof *world, BW_ALIGN);
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
    if (world->step != world->frame_number) // of a run of whole frames the two are the same
        BW_TRY(bw_record_add_number(record, "step", (double)world->step, err));
    BW_TRY(bw_runaway_save(&world->watch, record, err));
    BW_TRY(bw_solver_save(world->type, world->solver, record, err));
    if (world->events.count > 0)
        BW_TRY(bw_live_save_moves(&world->live, record, err));
    world->record_states = record->count;
    world->record_events = 0;
    return BW_OK;
}

// What was set since the record was written belongs to it too: a world that goes on from it must know. All
// events are copied, so this is not done in every step.
static BwResult write_events(BwWorld *world, BwError *err)
{
    if (world->record_events == world->events.count)
        return BW_OK;
    world->record.count = world->record_states;
    world->record_events = 0;
    BW_TRY(bw_event_log_save(&world->events, &world->record, err));
    world->record_events = world->events.count;
    return BW_OK;
}

BwResult bw_world_keep_state(BwWorld *world, BwError *err)
{
    if (!world->has_record)
        BW_TRY(write_record(world, err));
    world->has_record = true;
    return BW_OK;
}

const BwRecord *bw_world_record(BwWorld *world, BwError *err)
{
    bool is_whole = bw_world_keep_state(world, err) == BW_OK && write_events(world, err) == BW_OK;
    return is_whole ? &world->record : NULL;
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

// A run without events has taken steps of a frame each; others may stand between two frames.
static bool is_at_time(const BwRecord *record, int frame, double time, double fps)
{
    if (!bw_record_has(record, "events"))
        return time == bw_frame_time(frame, fps);
    return time >= 0.0 && time * fps < 1e9 && bw_frame_at(time, fps) == frame;
}

static BwResult check_clock(const BwWorld *world, const BwRecord *record, BwError *err)
{
    double frame, time, step;
    BW_TRY(bw_record_find_number(record, "frame", &frame, err));
    BW_TRY(bw_record_find_number(record, "time", &time, err));
    if (!(frame >= 0.0 && frame < 1e9 && frame == floor(frame)))
        return bw_fail(err, BW_ERR_FORMAT, "the state's frame is %g", frame);
    if (!is_at_time(record, (int)frame, time, world->scene->fps))
        return bw_fail(err, BW_ERR_FORMAT,
                       "the state is of another scene: its time is %.9g s, the scene's frame %g is at %.9g s",
                       time, frame, bw_frame_time((int)frame, world->scene->fps));
    step = frame;
    if (bw_record_has(record, "step"))
        BW_TRY(bw_record_find_number(record, "step", &step, err));
    if (!(step >= 0.0 && step < 0x1p53 && step == floor(step)))
        return bw_fail(err, BW_ERR_FORMAT, "the state's step is %g", step);
    return BW_OK;
}

static BwResult check_scene(const BwWorld *world, const BwRecord *record, BwError *err)
{
    BW_TRY(check_clock(world, record, err));
    BW_TRY(check_same(record, "fluid", (double)world->scene->fluid, err));
    BW_TRY(check_same(record, "dimension", (double)world->scene->dimension, err));
    return check_same(record, "cell", (double)world->scene->cell, err);
}

static double number_of(const BwRecord *record, const char *name, const char *otherwise)
{
    double value = 0.0;
    (void)bw_record_find_number(record, bw_record_has(record, name) ? name : otherwise, &value, NULL);
    return value;
}

static BwResult load_record(BwWorld *world, const BwRecord *record, BwError *err)
{
    BW_TRY(bw_solver_load(world->type, world->solver, record, err));
    world->frame_number = (int)number_of(record, "frame", "frame");
    world->time = number_of(record, "time", "time");
    world->step = (int64_t)number_of(record, "step", "frame");
    world->has_frame = false;
    return BW_OK;
}

BwResult bw_world_go_back(BwWorld *world, BwError *err)
{
    return load_record(world, &world->record, err);
}

BwResult bw_world_mend(BwWorld *world, BwError *err)
{
    if (world->is_torn)
        BW_TRY(bw_world_go_back(world, err));
    world->is_torn = false;
    return BW_OK;
}

// The scene as the events of the recorded run left it. What was set before the step that comes next is only
// known, and done when that step begins.
static BwResult take_events(BwWorld *world, const BwRecord *record, BwError *err)
{
    int64_t step = (int64_t)number_of(record, "step", "frame");
    BwPose none = bw_pose_identity();
    BwStepInterval past = {.poses = &none};
    BwError reason;
    bw_live_reset(&world->live);
    BW_TRY(bw_event_log_load(&world->events, record, step, err));
    for (int64_t n = 0; n < world->events.count; n++) {
        const BwEvent *event = &world->events.list[n];
        if (bw_live_take(&world->live, event, &reason) != BW_OK)
            return bw_fail(err, BW_ERR_FORMAT, "\"events\" of the state hold what cannot be: %s",
                           reason.message);
        if (event->step < step)
            bw_live_apply(&world->live, event, &past);
    }
    bw_live_rest(&world->live);
    return bw_live_load_moves(&world->live, record, err);
}

BwResult bw_world_restore(BwWorld *world, const BwRecord *record, bool of_any_scene, BwError *err)
{
    world->has_record = world->is_torn = false;
    world->replay = (BwReplay){0};
    BwError reason = {0};
    BW_TRY(bw_record_check_finite(record, "runaway_watch", err)); // which has no energy while driven
    BW_TRY(check_scene(world, record, err));
    if (!of_any_scene)
        BW_TRY(check_identity(world, record, err));
    BW_TRY(take_events(world, record, err));
    BW_TRY(load_record(world, record, err));
    if (!of_any_scene)
        BW_TRY(bw_solver_agree(world->type, world->solver, record, err));
    if (bw_solver_check(world->type, world->solver, 0.0, &reason) != BW_OK)
        return bw_fail(err, BW_ERR_FORMAT, "no run leaves such a state: %s", reason.message);
    world->stats = (BwStats){.frame = world->frame_number, .time = world->time};
    world->type->measure(world->solver, &world->stats);
    bw_world_keep_stats(world);
    return bw_runaway_load(&world->watch, record, &world->stats, err);
}

const BwFrame *bw_world_view_frame(BwWorld *world, BwError *err)
{
    if (bw_need(world, "the world", err) != BW_OK)
        return NULL;
    if (bw_world_mend(world, err) != BW_OK)
        return NULL;
    if (!world->has_frame) {
        // The state after a step is kept anyway, so the frame need not be copied as well.
        if (bw_world_keep_state(world, err) != BW_OK)
            return NULL;
        world->frame = (BwFrame){.number = world->frame_number,
                                 .time = world->time,
                                 .has_walls = world->scene->has_walls,
                                 .walls = {world->scene->walls.min, world->scene->walls.max}};
        if (world->type->frame(world->solver, &world->record, &world->frame, err) != BW_OK)
            return NULL;
        world->has_frame = true;
    }
    return &world->frame;
}

const BwStats *bw_world_view_stats(const BwWorld *world)
{
    return world != NULL ? &world->stats : NULL;
}
