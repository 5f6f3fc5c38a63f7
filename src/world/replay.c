// Replaying a run. Invariant: after every step the events that the world has seen are the first ones of the
// run, so that what comes next is found without a search, however long the run is.
#include "world/world_state.h"

#include "base/need.h"

#include <string.h>

static bool is_same_past(const BwWorld *world, const BwEvents *run, int64_t n)
{
    return bw_event_is_same(&world->events.list[n], &run->list[n], world->step);
}

// What the world has seen must be the beginning of the run. Only what came since the last look is compared.
static BwResult check_past(BwWorld *world, const BwEvents *run, BwError *err)
{
    const BwEventLog *log = &world->events;
    bool is_same = log->count <= run->count && world->step <= run->steps;
    for (int64_t n = world->replay.same; n < log->count && is_same; n++)
        is_same = is_same_past(world, run, n);
    bool is_behind = is_same && log->count < run->count && run->list[log->count].step < world->step;
    if (!is_same || is_behind)
        return bw_fail(
            err, BW_ERR_DEF,
            "the world has taken %lld steps and seen %lld events that are not the beginning of the run "
            "to replay",
            (long long)world->step, (long long)log->count);
    world->replay.same = bw_event_log_first(log, world->step);
    return BW_OK;
}

static BwResult check_event(const BwEvents *run, int64_t n, BwError *err)
{
    if ((unsigned)run->list[n].kind >= BW_EVENT_COUNT)
        return bw_fail(err, BW_ERR_DEF, "event %lld is of unknown kind %d", (long long)n,
                       (int)run->list[n].kind);
    return bw_event_check(&run->list[n], n > 0 ? &run->list[n - 1] : NULL, run->steps, err);
}

// Whether this is the run of the last call, or has grown from it. Some of the past is compared again, in case
// another list came to lie in the same place.
static bool is_known(const BwWorld *world, const BwEvents *run)
{
    const BwReplay *replay = &world->replay;
    bool is_same = replay->list == run->list && replay->count <= run->count && replay->steps <= run->steps;
    for (int64_t n = replay->same; n > 0 && is_same; n /= 2)
        is_same = is_same_past(world, run, n - 1);
    return is_same;
}

static void warn_of_other_scene(const BwWorld *world, const BwEvents *run)
{
    const char *title = world->scene->title;
    bool are_known = run->scene != NULL && title != NULL && run->scene[0] != '\0' && title[0] != '\0';
    if (are_known && strncmp(run->scene, title, BW_EVENT_TITLE - 1) != 0)
        bw_log(&world->log, BW_LOG_WARNING, "events of the scene \"%.200s\" are replayed in \"%.200s\"",
               run->scene, title);
}

static BwResult begin(BwWorld *world, const BwEvents *run, BwError *err)
{
    BW_TRY(bw_need(run, "the events to replay", err));
    BW_TRY(bw_need_list(run->list, run->count, "events to replay", err));
    if (!is_known(world, run)) {
        world->replay = (BwReplay){.list = run->list};
        warn_of_other_scene(world, run);
    }
    for (int64_t n = world->replay.count; n < run->count; n++)
        BW_TRY(check_event(run, n, err));
    world->replay.count = run->count;
    world->replay.steps = run->steps;
    return BW_OK;
}

// Whether the world's own log of the next step, which lasts `dt`, will hold this event as it is.
static BwResult check_fit(const BwWorld *world, const BwEvents *run, int64_t n, double dt, BwError *err)
{
    const BwEvent *event = &run->list[n];
    long long number = (long long)n, step = (long long)event->step;
    BW_TRY(check_event(run, n, err));
    if (event->time != world->time)
        return bw_fail(err, BW_ERR_DEF,
                       "event %lld came before step %lld at %.9g s; here that step begins at %.9g s: the run "
                       "is of another scene",
                       number, step, event->time, world->time);
    if (event->dt != dt && event->step < run->steps)
        return bw_fail(err, BW_ERR_DEF, "event %lld says that step %lld lasts %g s; it lasts %g s", number,
                       step, event->dt, dt);
    if (event->kind == BW_EVENT_STEP && dt == world->events.dt)
        return bw_fail(err, BW_ERR_DEF, "event %lld says that step %lld lasts %g s, as the one before it did",
                       number, step, dt);
    return BW_OK;
}

// Sets what was set before the next step, as far as the world does not know it, and tells how long that step
// was asked to last.
static BwResult set_events(BwWorld *world, const BwEvents *run, double *dt, BwError *err)
{
    int64_t begin = world->replay.same, end = begin;
    *dt = world->events.dt;
    for (; end < run->count && run->list[end].step == world->step; end++)
        if (run->list[end].kind == BW_EVENT_STEP)
            *dt = run->list[end].dt;
    for (int64_t n = begin; n < end; n++)
        BW_TRY(check_fit(world, run, n, *dt, err));
    for (int64_t n = world->events.count; n < end; n++) {
        BwEvent event = run->list[n];
        event.dt = 0.0;
        if (event.kind != BW_EVENT_STEP)
            BW_TRY(bw_world_add_event(world, &event, err));
    }
    return BW_OK;
}

static BwResult replay_step(BwWorld *world, const BwEvents *run, const volatile int *stop, BwError *err)
{
    double dt;
    BW_TRY(set_events(world, run, &dt, err));
    BW_TRY(dt > 0.0 ? bw_world_step(world, dt, stop, err) : bw_world_step_frame(world, stop, err));
    return check_past(world, run, err);
}

BwResult bw_world_replay(BwWorld *world, const BwEvents *events, int64_t steps, const volatile int *stop,
                         BwError *err)
{
    BW_TRY(bw_need(world, "the world", err));
    BW_TRY(begin(world, events, err));
    BW_TRY(bw_world_mend(world, err));
    BW_TRY(check_past(world, events, err));
    if (steps < 0)
        return bw_fail(err, BW_ERR_DEF, "%lld steps are to be replayed; it must be 0 or more",
                       (long long)steps);
    for (int64_t n = 0; n < steps && world->step < events->steps; n++)
        BW_TRY(replay_step(world, events, stop, err));
    double unused;
    return world->step == events->steps ? set_events(world, events, &unused, err) : BW_OK;
}
