// Steps: to the next frame, or as long as the caller asks. A step happens wholly or not at all. It is taken
// in substeps; one whose numbers go wrong is begun again from its start, in shorter ones, and one that fails
// or is interrupted leaves the world where it was.
#include "world/world_state.h"

#include "base/clock.h"
#include "base/need.h"
#include "flow/liquid_motion.h"
#include "world/stepping.h"

#include <float.h>
#include <math.h>
#include <stdio.h>

enum { RETRIES_MAX = 6 };

static const double frames_max = 1e5; // of one step

// A step that is being taken.
typedef struct Step {
    double asked;      // s, 0: to the next frame
    double begin, end; // s
    double frames;     // its length, 1 for a whole one
    double seconds;    // the same in s
    BwDrive drive;     // the strongest that has driven the flow so far
} Step;

static Step step_to_end(const BwWorld *world, double asked, double end)
{
    double fps = world->scene->fps, frames = bw_step_frames(world->time, end, fps);
    return (Step){.asked = asked,
                  .begin = world->time,
                  .end = end,
                  .frames = frames,
                  .seconds = frames == 1.0 ? 1.0 / fps : end - world->time};
}

static void count_substep(BwStats *stats, double dt)
{
    stats->dt_min = stats->steps == 0 ? dt : fmin(stats->dt_min, dt);
    stats->dt_max = fmax(stats->dt_max, dt);
    stats->steps++;
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

// The longest substep that the fluid can bear, and what a program moves: a solver learns of that only when it
// is there.
static BwResult find_limit(BwWorld *world, double *limit, BwError *err)
{
    float speed = bw_live_speed(&world->live);
    BW_TRY(world->type->step_limit(world->solver, world->time, limit, err));
    if (speed > 0.0f)
        *limit = fmin(*limit, (double)(world->scene->cfl * world->scene->cell / speed));
    return BW_OK;
}

// What drives the flow now. Sources may end, and solids be burnt up, before the step does.
static BwResult gather_drive(BwWorld *world, Step *step, BwError *err)
{
    BwDrive drive;
    BW_TRY(bw_solver_drive(world->type, world->solver, world->time, &drive, err));
    drive.speed = fmaxf(drive.speed, step->drive.speed);
    drive.imposed_speed = fmaxf(drive.imposed_speed, step->drive.imposed_speed);
    step->drive = drive;
    return BW_OK;
}

static BwResult take_substep(BwWorld *world, Step *step, BwError *err)
{
    int retry = world->stats.retries;
    BwStepRule rule = bw_step_rule(world->scene, step->frames, retry);
    double limit, end = rule.steps > 0 ? step->end : bw_step_until(world->scene, world->time, step->end);
    if (world->stats.steps > 0) // the end of the last step has been looked at
        BW_TRY(gather_drive(world, step, err));
    BW_TRY(find_limit(world, &limit, err));
    double dt = bw_next_step(&rule, world->time, end, ldexp(limit, -retry), world->stats.steps);
    if (bw_step_is_capped(&rule, world->time, end, ldexp(limit, -retry), world->stats.steps))
        tell_cap(world);
    bool is_last = dt >= end - world->time;
    BW_TRY(world->type->step(world->solver, world->time, dt, &world->stats, err));
    BW_TRY(bw_solver_check(world->type, world->solver, dt, err));
    count_substep(&world->stats, dt);
    world->time = is_last ? end : world->time + dt;
    return BW_OK;
}

static BwResult take_substeps(BwWorld *world, Step *step, BwError *err)
{
    while (world->time < step->end) {
        BW_TRY(take_substep(world, step, err));
        if (bw_is_asked_to_stop(world->stop))
            return bw_fail(err, BW_ERR_INTERRUPTED, "interrupted at %.6g s, on the way to frame %d",
                           world->time, world->frame_number + 1);
    }
    return BW_OK;
}

static void begin_stats(BwWorld *world, const Step *step, int retries)
{
    int frame = bw_frame_at(step->end, world->scene->fps);
    world->stats =
        (BwStats){.frame = frame, .time = step->end, .retries = retries, .stop_reason = BW_STOP_EMPTY};
}

// Back to the beginning of the step, to try again.
static BwResult begin_again(BwWorld *world, Step *step, const BwError *trouble, BwError *err)
{
    int retry = world->stats.retries;
    if (retry == RETRIES_MAX)
        return bw_fail(err, BW_ERR_NUMERICS,
                       "frame %d broke down at %.6g s and did so again %d times with shorter steps: %s",
                       world->frame_number + 1, world->time, RETRIES_MAX, trouble->message);
    bw_log(&world->log, BW_LOG_WARNING, "frame %d is begun again in shorter steps: at %.6g s %s",
           world->frame_number + 1, world->time, trouble->message);
    BW_TRY(bw_world_go_back(world, err));
    begin_stats(world, step, retry + 1);
    step->drive = (BwDrive){.speed = 0.0f};
    return BW_OK;
}

// Does what was set since the last step. Cells that a removed obstacle covered are found anew from the kept
// state.
static BwResult apply_events(BwWorld *world, const Step *step, BwError *err)
{
    const void *poses = NULL;
    int64_t rows = world->scene->obstacle_count;
    bool is_new = false;
    bw_live_rest(&world->live);
    if (rows > 0)
        BW_TRY(bw_record_find(&world->record, "solids", BW_RECORD_FLOAT, &rows, 14, &poses, err));
    BwStepInterval span = {step->begin, step->end, poses, 2 * sizeof(BwPose)};
    for (int64_t n = bw_event_log_first(&world->events, world->step); n < world->events.count; n++)
        is_new |= bw_live_apply(&world->live, &world->events.list[n], &span);
    return is_new ? bw_world_go_back(world, err) : BW_OK;
}

// Fluid is thrown aside as if the obstacle had gone all the way through it.
static void tell_jump(BwWorld *world, const BwSolidJump *jump)
{
    if (jump->distance > 0.0f && !world->has_told_jump)
        bw_log(
            &world->log, BW_LOG_WARNING,
            "obstacle %d jumps %.3g m in one step at t = %.6g s: the fluid in its way is thrown aside at up "
            "to %.3g m/s; give it a motion without jumps, or keep fluid away from where it jumps",
            jump->obstacle + 1, (double)jump->distance, jump->time, (double)jump->speed);
    world->has_told_jump |= jump->distance > 0.0f;
}

// What comes out has the nozzle's own speed too.
static void tell_nozzle_jump(BwWorld *world, const BwSolidJump *jump)
{
    if (jump->distance > 0.0f && !world->has_told_nozzle)
        bw_log(&world->log, BW_LOG_WARNING,
               "emitter %d jumps %.3g m in one step at t = %.6g s: what it gives then is thrown out at %.3g "
               "m/s; give it an offset without jumps, or stop it while it moves",
               jump->obstacle + 1, (double)jump->distance, jump->time, (double)jump->speed);
    world->has_told_nozzle |= jump->distance > 0.0f;
}

// Liquid that is pressed together is told from this loss of volume on, where it is no spray, of which the
// level set shows less than there is. Where solids close on it, it is left with a divergence, though the
// pressure is well solved: more than the solver leaves, as a share of the largest speed over a cell.
static const double volume_loss_max = 0.05, divergence_left = 1e-3;

static bool is_squeezed(const BwWorld *world)
{
    const BwStats *stats = &world->stats;
    double rate = (double)stats->max_speed / (double)world->scene->cell;
    return stats->stop_reason == BW_STOP_CONVERGED && stats->divergence > divergence_left * rate;
}

// m^3 between the walls, in 2-D times 1 m; infinite where there are none.
static double box_volume(const BwSceneDef *scene)
{
    BwVec3 size = bw_sub(scene->walls.max, scene->walls.min);
    return scene->has_walls ? (double)size.x * (double)size.y * (scene->dimension == 3 ? (double)size.z : 1.0)
                            : (double)INFINITY;
}

static void write_cause(const BwWorld *world, const BwDrive *drive, char *text, size_t size)
{
    double room = box_volume(world->scene);
    if (world->stats.mass > room)
        snprintf(
            text, size,
            "for the box holds %.4g m^3 and has been given more; stop its sources in time, or open a side",
            room);
    else if (bw_curve_is_given(&world->scene->flow.velocity))
        snprintf(text, size,
                 "for the flow that the scene gives leads into walls or obstacles, or comes together there");
    else if (is_squeezed(world))
        snprintf(text, size, "for obstacles or sources press on liquid that has nowhere to go");
    else if (drive->blocked_emitter > 0)
        snprintf(
            text, size,
            "for emitter %d stands in a wall or obstacle, or points into one a few cells away: what it gives "
            "has no room there; move it off, or turn it",
            drive->blocked_emitter);
    else
        snprintf(text, size,
                 "for its particles come to lie closer than they can be parted; take shorter steps");
}

// What lies where other liquid is, and does not show. A squeeze is told also where crowds were before, which
// may have passed.
static void watch_volume(BwWorld *world, const BwDrive *drive)
{
    const BwStats *stats = &world->stats;
    double missing = -stats->volume_drift;
    double lost = missing > volume_loss_max && drive->overlap != NULL
                      ? fmin(missing, drive->overlap(drive->fluid))
                      : 0.0;
    bool is_pressed = lost > volume_loss_max, is_squeeze = is_pressed && is_squeezed(world);
    bool is_news = is_pressed && !world->has_told_squeeze && (is_squeeze || !world->has_told_crowd);
    char cause[256];
    if (is_news) {
        write_cause(world, drive, cause, sizeof cause);
        bw_log(&world->log, BW_LOG_WARNING,
               "the liquid is pressed together: at %.6g s (frame %d) %.3g%% of it (%.3g of %.3g m^3) lie "
               "where other "
               "liquid is, %s",
               world->time, stats->frame, 100.0 * lost, lost * stats->mass, stats->mass, cause);
    }
    world->has_told_squeeze |= is_squeeze;
    world->has_told_crowd |= is_pressed;
}

// What solids have come to stand on, as by a jump, neither shows nor moves.
static void watch_covered(BwWorld *world, const BwDrive *drive)
{
    const BwStats *stats = &world->stats;
    double missing = -stats->volume_drift;
    double lost = missing > volume_loss_max && drive->covered != NULL
                      ? fmin(missing, drive->covered(drive->fluid))
                      : 0.0;
    if (lost > volume_loss_max && !world->has_told_covered)
        bw_log(&world->log, BW_LOG_WARNING,
               "obstacles cover liquid: at %.6g s (frame %d) %.3g%% of it (%.3g of %.3g m^3) are inside of "
               "them, and are neither seen nor moved; let them come slowly, so that the liquid gets out of "
               "the way, and leave it some room",
               world->time, stats->frame, 100.0 * lost, lost * stats->mass, stats->mass);
    world->has_told_covered |= lost > volume_loss_max;
}

// Level sets and chains lose what is thinner than cells, and gain what a wind blows up. From this share on it
// is told, and again if all is gone.
static const double off_max = 0.25;

// Cells that the liquid crosses in what steps are divided into at least (bw_liquid_surface_limit).
static double cells_in_shortest_part(const BwWorld *world)
{
    const BwSceneDef *scene = world->scene;
    return (double)world->stats.max_speed / (scene->fps * scene->steps_max * (double)scene->cell);
}

static void write_cause_of_loss(const BwWorld *world, char *text, size_t size)
{
    if (world->has_long_parts)
        snprintf(text, size,
                 "for it crosses more than %d cells in the shortest step that it may take, and is lost where "
                 "these lead into walls; raise scene.steps_max = %d",
                 BW_SURFACE_CELLS, world->scene->steps_max);
    else
        snprintf(text, size,
                 "for sheets and drops thinner than a cell are no part of it; take smaller cells%s, or the "
                 "method \"apic\"",
                 world->scene->liquid.volume_correction > 0.0f ? "" : ", a volume_correction above 0");
}

static const char *cause_of_gain(const BwWorld *world)
{
    return world->stats.steps_capped > 0
               ? "for surface_control.blend moves it farther than a cell in a step; raise scene.steps_max"
               : "for surface_control.blend moves it; lower that";
}

static void tell_off(const BwWorld *world, const char *what)
{
    const BwStats *stats = &world->stats;
    bool has_lost = stats->volume_drift < 0.0;
    char cause[256];
    if (has_lost)
        write_cause_of_loss(world, cause, sizeof cause);
    bw_log(&world->log, BW_LOG_WARNING,
           "%s %s %.3g%% of its liquid at %.6g s (frame %d)%s: %.3g of %.3g m^3 are there, %s", what,
           has_lost ? "lost" : "gained", 100.0 * fabs(stats->volume_drift), world->time, stats->frame,
           stats->volume > 0.0 ? "" : ", all there was", stats->volume, stats->mass,
           has_lost ? cause : cause_of_gain(world));
}

static void watch_thin_parts(BwWorld *world)
{
    const BwStats *stats = &world->stats;
    const BwSceneDef *scene = world->scene;
    bool is_liquid = scene->fluid == BW_FLUID_LIQUID,
         is_chain = is_liquid && scene->liquid.method == BW_LIQUID_CHAIN,
         is_level_set = is_liquid && (scene->liquid.method == BW_LIQUID_LEVELSET ||
                                      scene->liquid.method == BW_LIQUID_PARTICLE_LEVELSET);
    bool may_gain = scene->surface_control_count > 0;
    bool is_off = (is_level_set || is_chain) &&
                  (may_gain ? fabs(stats->volume_drift) : -stats->volume_drift) > off_max,
         is_gone = is_off && !(stats->volume > 0.0);
    bool is_news = is_gone ? !world->has_told_gone : is_off && !world->has_told_loss;
    world->has_long_parts |= cells_in_shortest_part(world) > BW_SURFACE_CELLS;
    if (is_news)
        tell_off(world, is_chain ? "the chain of the surface has" : "the level set has");
    world->has_told_gone |= is_gone;
    world->has_told_loss |= is_off;
}

// The flow goes on: it is for those who look at it to stop.
static BwResult watch_flow(BwWorld *world, Step *step, BwError *err)
{
    const BwDrive *drive = &step->drive;
    BwStats *stats = &world->stats;
    BW_TRY(gather_drive(world, step, err));
    tell_jump(world, &drive->jump);
    tell_nozzle_jump(world, &drive->nozzle_jump);
    watch_volume(world, drive);
    watch_covered(world, drive);
    watch_thin_parts(world);
    if (!bw_runaway_look(&world->watch, drive, step->seconds, step->frames, stats))
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

static BwResult run(BwWorld *world, Step *step, BwError *err)
{
    BwError trouble = {0};
    BW_TRY(apply_events(world, step, err));
    BwResult result = take_substeps(world, step, &trouble);
    while (result == BW_ERR_NUMERICS) {
        BW_TRY(begin_again(world, step, &trouble, err));
        result = take_substeps(world, step, &trouble);
    }
    if (result != BW_OK)
        return bw_fail(err, result, "%s", trouble.message);
    world->type->measure(world->solver, &world->stats);
    return watch_flow(world, step, err);
}

// Leaves the world where the last whole step did.
static void undo(BwWorld *world, const BwStats *last)
{
    bw_live_undo(&world->live);
    world->stats = *last;
    world->is_torn = true;
    (void)bw_world_mend(world, NULL); // and if memory is short now, before the next step
}

static void end_step(BwWorld *world, const Step *step)
{
    bw_event_log_end_step(&world->events, world->step, step->begin, step->asked);
    world->step++;
    world->frame_number = world->stats.frame;
    world->has_record = false;
    bw_world_keep_stats(world);
}

static BwResult advance(BwWorld *world, Step *step, const volatile int *stop, BwError *err)
{
    double began = bw_clock_seconds();
    BW_TRY(bw_world_mend(world, err));
    BW_TRY(bw_event_log_reserve(&world->events, err));
    BW_TRY(bw_world_keep_state(world, err));
    BwStats last = world->stats;
    world->has_frame = false;
    world->stop = stop;
    bw_live_keep(&world->live);
    begin_stats(world, step, 0);
    BwResult result = run(world, step, err);
    world->stop = NULL;
    if (result != BW_OK) {
        undo(world, &last);
        return result;
    }
    end_step(world, step);
    world->stats.seconds = bw_clock_seconds() - began;
    return BW_OK;
}

BwResult bw_world_step_frame(BwWorld *world, const volatile int *stop, BwError *err)
{
    BW_TRY(bw_need(world, "the world", err));
    BW_TRY(bw_world_mend(world, err));
    Step step = step_to_end(world, 0.0, bw_frame_time(world->frame_number + 1, world->scene->fps));
    return advance(world, &step, stop, err);
}

// A step must move the clock, also where it stands at 0 and any number would: there the time of the first
// frame says what is lost in rounding.
static BwResult check_length(const BwWorld *world, double dt, BwError *err)
{
    double fps = world->scene->fps, least = fmax(world->time, 1.0 / fps) * DBL_EPSILON;
    if (!(dt > 0.0))
        return bw_fail(err, BW_ERR_DEF, "a step of %g s leads nowhere; dt must be positive", dt);
    if (!(dt > least))
        return bw_fail(err, BW_ERR_DEF,
                       "a step of %g s is too short to move the clock at %g s; dt must be above %.3g s", dt,
                       world->time, least);
    if (!(dt * fps <= frames_max))
        return bw_fail(err, BW_ERR_DEF, "a step of %g s is %g frames long; it may be %g", dt, dt * fps,
                       frames_max);
    return BW_OK;
}

BwResult bw_world_step(BwWorld *world, double dt, const volatile int *stop, BwError *err)
{
    BW_TRY(bw_need(world, "the world", err));
    BW_TRY(bw_world_mend(world, err));
    BW_TRY(check_length(world, dt, err));
    Step step = step_to_end(world, dt, bw_step_end(world->time, dt, world->scene->fps));
    return advance(world, &step, stop, err);
}
