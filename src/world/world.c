// The world: owns the pool and a solver, keeps the clock, and makes frames.
#include "base/clock.h"
#include "base/memory.h"
#include "solvers/solver.h"
#include "world/stepping.h"
#include <billow/world.h>

#include <math.h>

struct BwWorld {
    BwAllocator allocator;
    BwLog log;
    const BwSceneDef *scene;
    BwPool *pool;
    const BwSolverType *type;
    void *solver;
    int frame_number;
    double time; // s
    BwFrame frame;
    bool has_frame; // `frame` shows the present
    BwStats stats;
};

enum { COOKIE = 0x42574c31 };

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
    BwSolverSetup solver = {
        .scene = def->scene, .allocator = world->allocator, .pool = world->pool, .log = def->log};
    BW_TRY(world->type->create(&world->solver, &solver, err));
    world->type->measure(world->solver, &world->stats);
    return BW_OK;
}

BwResult bw_world_create(BwWorld **out, const BwWorldDef *def, BwError *err)
{
    *out = NULL;
    if (def->cookie != COOKIE)
        return bw_fail(err, BW_ERR_DEF, "the BwWorldDef was not made by bw_world_def_default");
    if (def->scene == NULL)
        return bw_fail(err, BW_ERR_DEF, "the BwWorldDef has no scene");
    BW_TRY(bw_scene_def_check(def->scene, err));
    BW_TRY(bw_scene_def_check_runnable(def->scene, err));
    BwAllocator allocator = bw_allocator_or_default(def->allocator);
    BwWorld *world = bw_alloc_zeroed(&allocator, sizeof *world, BW_ALIGN);
    if (world == NULL)
        return bw_fail_memory(err);
    *world = (BwWorld){.allocator = allocator, .log = def->log, .scene = def->scene};
    world->type = find_solver(def->scene->fluid);
    BwResult result = create_parts(world, def, err);
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
    bw_free(&allocator, world, sizeof *world, BW_ALIGN);
}

static void count_step(BwStats *stats, double dt)
{
    stats->dt_min = stats->steps == 0 ? dt : fmin(stats->dt_min, dt);
    stats->dt_max = fmax(stats->dt_max, dt);
    stats->steps++;
}

static BwResult step_once(BwWorld *world, double frame_end, BwError *err)
{
    const BwSceneDef *scene = world->scene;
    BwStepRule rule = {scene->dt_min, scene->dt_max, scene->steps, scene->steps_max};
    double limit;
    BW_TRY(world->type->step_limit(world->solver, world->time, &limit, err));
    double dt = bw_next_step(&rule, world->time, frame_end, limit, world->stats.steps);
    bool is_last = dt >= frame_end - world->time;
    BW_TRY(world->type->step(world->solver, world->time, dt, &world->stats, err));
    count_step(&world->stats, dt);
    world->time = is_last ? frame_end : world->time + dt;
    return BW_OK;
}

BwResult bw_world_step_frame(BwWorld *world, const volatile int *stop, BwError *err)
{
    double began = bw_clock_seconds();
    double frame_end = bw_frame_time(world->frame_number + 1, world->scene->fps);
    world->has_frame = false;
    world->stats = (BwStats){.frame = world->frame_number + 1};
    while (world->time < frame_end) {
        BW_TRY(step_once(world, frame_end, err));
        if (stop != NULL && *stop != 0)
            return bw_fail(err, BW_ERR_INTERRUPTED, "interrupted at %.6g s, on the way to frame %d",
                           world->time, world->frame_number + 1);
    }
    world->frame_number++;
    world->stats.time = world->time;
    world->type->measure(world->solver, &world->stats);
    world->stats.seconds = bw_clock_seconds() - began;
    return BW_OK;
}

const BwFrame *bw_world_view_frame(BwWorld *world, BwError *err)
{
    if (!world->has_frame) {
        world->frame = (BwFrame){.number = world->frame_number,
                                 .time = world->time,
                                 .has_walls = world->scene->has_walls,
                                 .walls = {world->scene->walls.min, world->scene->walls.max}};
        if (world->type->frame(world->solver, &world->frame, err) != BW_OK)
            return NULL;
        world->has_frame = true;
    }
    return &world->frame;
}

const BwStats *bw_world_view_stats(const BwWorld *world)
{
    return &world->stats;
}
