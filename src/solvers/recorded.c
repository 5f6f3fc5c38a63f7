// A run computed before, as the fluid (Foster and Metaxas 1996, section 8): its frames are shown as they are,
// and bodies ride in them, moved by the velocity and the pressure of the two frames around a moment. The
// liquid is not computed again, so that a run serves for many variants of what floats in it.
//
// The frames are files of the run's folder, read through the public API as any program would; the state of a
// world is that of the bodies and obstacles alone.
#include "base/file.h"
#include "domain/solids_record.h"
#include "flow/scene_bodies.h"
#include "flow/scene_box.h"
#include "flow/scene_walls.h"
#include "flow/stage_clock.h"
#include "grid/frame_take.h"
#include "operate/level_volume.h"
#include "operate/liquid_surface.h"
#include "scene/curve.h"
#include "solid/motion.h"
#include "solvers/solver.h"
#include <billow/cache.h>

#include <math.h>
#include <stdio.h>
#include <string.h>

// Steps a frame at least where obstacles move, which they do evenly in each; bodies have steps of their own.
static const double steps_a_frame = 4.0;

// Obstacles and walls may stand so far from those of the run, in cells.
static const double apart_max = 0.1;

// One frame of the run, on a grid of its own.
typedef struct Moment {
    BwFrameFile *file; // NULL: none yet, or it could not be read
    BwGrid *grid;
    BwDomain domain;
    BwVelocity velocity;
    BwField phi, pressure, open;
    BwNotes open_measured;
    BwMask liquid;
} Moment;

typedef struct Recorded {
    const BwSceneDef *scene;
    BwSceneDef plain; // the scene without its bodies: of the run's frames
    BwAllocator allocator;
    BwPool *pool;
    const volatile int *const *stop;
    uint64_t run_id;
    Moment moments[2]; // frame n is in the one of n % 2
    BwSceneSolids solids;
    BwSceneBodies bodies;
    float max_speed; // m/s, of the last frame that was measured
} Recorded;

static const char *const flow_names[] = {"u", "v", "w"};

static const BwFrame *frame_of(const Moment *moment)
{
    return bw_frame_file_view(moment->file);
}

// What is wrong with the run, by its folder.
static BwResult fail_of(const Recorded *recorded, BwResult code, const char *reason, BwError *err)
{
    return bw_fail(err, code, "recorded.run \"%s\": %s", recorded->scene->recorded.run, reason);
}

static BwResult check_field(const Recorded *recorded, const BwFrame *frame, const char *name, BwError *err)
{
    char reason[160];
    if (bw_frame_field(frame, name) != NULL)
        return BW_OK;
    snprintf(reason, sizeof reason,
             "frame %d has no \"%s\"; run it again with output { record = true }, which keeps velocity and "
             "pressure",
             frame->number, name);
    return fail_of(recorded, BW_ERR_FORMAT, reason, err);
}

static BwResult check_fields(const Recorded *recorded, const BwFrame *frame, BwError *err)
{
    BW_TRY(check_field(recorded, frame, "phi", err));
    for (int a = 0; a < frame->dimension; a++)
        BW_TRY(check_field(recorded, frame, flow_names[a], err));
    BW_TRY(check_field(recorded, frame, "pressure", err));
    return check_field(recorded, frame, "fluid", err);
}

static BwResult check_box(const Recorded *recorded, const BwFrame *frame, BwError *err)
{
    const BwSceneDef *scene = recorded->scene;
    BwBox box = frame->walls;
    double apart = frame->has_walls == scene->has_walls ? 0.0 : (double)INFINITY;
    char reason[256];
    for (int a = 0; a < scene->dimension && scene->has_walls && frame->has_walls; a++) {
        apart = fmax(apart, fabs((double)(bw_component(box.low, a) - bw_component(scene->walls.min, a))));
        apart = fmax(apart, fabs((double)(bw_component(box.high, a) - bw_component(scene->walls.max, a))));
    }
    if (apart <= apart_max * (double)scene->cell)
        return BW_OK;
    if (frame->has_walls)
        snprintf(
            reason, sizeof reason,
            "its box is from (%g, %g, %g) to (%g, %g, %g) m, and the scene's walls are not; give them alike",
            (double)box.low.x, (double)box.low.y, (double)box.low.z, (double)box.high.x, (double)box.high.y,
            (double)box.high.z);
    else
        snprintf(reason, sizeof reason, "it has no walls, and the scene has; leave them out");
    return fail_of(recorded, BW_ERR_SCENE, reason, err);
}

// Whether the obstacles stand where they did, at the time of a frame.
static BwResult check_obstacles(const Recorded *recorded, const Moment *moment, BwError *err)
{
    const BwFrame *frame = frame_of(moment);
    char reason[160];
    for (int n = 0; n < frame->solid_count; n++) {
        const BwFrameSolid *solid = &frame->solids[n];
        float reach = bw_shape_reach(&recorded->scene->obstacles[n].shape);
        double apart = (double)bw_pose_way(solid->pose, recorded->solids.poses[n].pose,
                                           isfinite(reach) ? reach : recorded->scene->cell);
        if (solid->shape->kind == BW_SHAPE_NONE || apart <= apart_max * (double)recorded->scene->cell)
            continue;
        snprintf(reason, sizeof reason,
                 "obstacle %d is %.3g m from where it was in frame %d; give the obstacles alike", n + 1,
                 apart, frame->number);
        return fail_of(recorded, BW_ERR_SCENE, reason, err);
    }
    return BW_OK;
}

// Whether a side is of a kind at the time of a frame, or a rounding of the run's clock before or after it.
static BwResult side_is(const Recorded *recorded, double time, int side, int kind, bool *is_so, BwError *err)
{
    BwBoxSide sides[BW_SIDE_COUNT];
    double rounding = 1e-6 / recorded->scene->fps;
    *is_so = false;
    for (int n = -1; n <= 1 && !*is_so; n++) {
        double near = fmax(time + n * rounding, 0.0);
        BW_TRY(bw_scene_walls_look_up(recorded->scene, near, near, sides, err));
        *is_so = (int)sides[side].kind == kind;
    }
    return BW_OK;
}

// Whether the sides of the box are what they were, at the time of a frame. Frames of older versions do not
// tell.
static BwResult check_sides(const Recorded *recorded, const Moment *moment, BwError *err)
{
    static const char *const names[] = {"left", "right", "bottom", "top", "back", "front"};
    static const char *const kinds[] = {"wall", "open", "inflow", "outflow"};
    const BwFrame *frame = frame_of(moment);
    char reason[160];
    for (int side = 0; side < 2 * frame->dimension; side++) {
        int was = frame->sides[side] - 1, is = (int)moment->domain.side[side].kind;
        bool is_so = was < 0 || was == is || recorded->scene->walls.periodic[side / 2];
        if (!is_so)
            BW_TRY(side_is(recorded, frame->time, side, was, &is_so, err));
        if (is_so)
            continue;
        snprintf(reason, sizeof reason,
                 "its side %s is \"%s\" in frame %d, and the scene's is \"%s\"; give the walls alike",
                 names[side], kinds[was], frame->number, kinds[is]);
        return fail_of(recorded, BW_ERR_SCENE, reason, err);
    }
    return BW_OK;
}

static BwResult check_frame(const Recorded *recorded, const BwFrame *frame, int number, BwError *err)
{
    double time = number / recorded->scene->fps;
    char reason[128];
    if (frame->number != number) {
        snprintf(reason, sizeof reason, "the file of frame %d holds frame %d", number, frame->number);
        return fail_of(recorded, BW_ERR_FORMAT, reason, err);
    }
    if (!(fabs(frame->time - time) <= 1e-6 * (1.0 + time))) {
        snprintf(reason, sizeof reason,
                 "frame %d is of %.6g s, and the scene's of %.6g s; give scene.fps alike", number,
                 frame->time, time);
        return fail_of(recorded, BW_ERR_SCENE, reason, err);
    }
    BW_TRY(check_fields(recorded, frame, err));
    return check_box(recorded, frame, err);
}

static BwResult open_file(Recorded *recorded, Moment *moment, int number, BwError *err)
{
    char path[4096], reason[160];
    const char *folder = recorded->scene->recorded.run;
    BwError trouble = {0};
    if (snprintf(path, sizeof path, "%s/cache/frame_%04d.h5", folder, number) >= (int)sizeof path)
        return fail_of(recorded, BW_ERR_FILE, "the path is too long", err);
    bw_frame_file_destroy(moment->file);
    moment->file = NULL;
    if (!bw_file_exists(path)) {
        if (number == 0)
            snprintf(reason, sizeof reason,
                     "there is no cache/frame_0000.h5; it must be the folder of a run with output { record = "
                     "true }");
        else
            snprintf(reason, sizeof reason,
                     "frame %d is not there; the run has fewer frames, or was not recorded", number);
        return fail_of(recorded, BW_ERR_FILE, reason, err);
    }
    BwResult result = bw_frame_load(&moment->file, path, &recorded->plain, recorded->run_id, &trouble);
    return result != BW_OK ? fail_of(recorded, result, trouble.message, err) : BW_OK;
}

static BwResult take_fields(Recorded *recorded, Moment *moment, BwError *err)
{
    const BwFrame *frame = frame_of(moment);
    BW_TRY(bw_grid_take_frame(moment->grid, frame, err));
    for (int a = 0; a < frame->dimension; a++)
        bw_field_take_frame(&moment->velocity.u[a], frame, bw_frame_field(frame, flow_names[a]));
    bw_field_take_frame(&moment->phi, frame, bw_frame_field(frame, "phi"));
    bw_field_take_frame(&moment->pressure, frame, bw_frame_field(frame, "pressure"));
    bw_mask_take_frame(&moment->liquid, frame, bw_frame_field(frame, "fluid"));
    return bw_scene_walls_look_up(recorded->scene, frame->time, frame->time, moment->domain.side, err);
}

// Frame `number` of the run, read where it is not there yet.
static BwResult bring_frame(Recorded *recorded, int number, Moment **out, BwError *err)
{
    Moment *moment = &recorded->moments[number % 2];
    *out = moment;
    if (moment->file != NULL && frame_of(moment)->number == number)
        return BW_OK;
    BwResult result = open_file(recorded, moment, number, err);
    if (result == BW_OK)
        result = check_frame(recorded, frame_of(moment), number, err);
    if (result == BW_OK)
        result = take_fields(recorded, moment, err);
    if (result == BW_OK && recorded->scene->has_walls)
        result = check_sides(recorded, moment, err);
    if (result != BW_OK) {
        bw_frame_file_destroy(moment->file);
        moment->file = NULL;
    }
    return result;
}

static BwResult create_moment(Recorded *recorded, Moment *moment, BwError *err)
{
    BwGridDef def = bw_scene_grid_def(recorded->scene, recorded->allocator);
    BwVec3 none = {0};
    def.pool = recorded->pool;
    BW_TRY(bw_grid_create(&moment->grid, &def, err));
    BW_TRY(bw_domain_create(&moment->domain, moment->grid, recorded->pool, err));
    BW_TRY(bw_velocity_create(&moment->velocity, moment->grid, none, err));
    BW_TRY(bw_field_create(&moment->phi, moment->grid, BW_AT_CELL, 0.0f, err));
    BW_TRY(bw_field_create(&moment->pressure, moment->grid, BW_AT_CELL, 0.0f, err));
    BW_TRY(bw_field_create(&moment->open, moment->grid, BW_AT_CELL, 1.0f, err));
    BW_TRY(bw_notes_create(&moment->open_measured, moment->grid, err));
    return bw_mask_create(&moment->liquid, moment->grid, err);
}

static void destroy_moment(Moment *moment)
{
    bw_frame_file_destroy(moment->file);
    bw_mask_destroy(&moment->liquid);
    bw_notes_destroy(&moment->open_measured);
    bw_field_destroy(&moment->open);
    bw_field_destroy(&moment->pressure);
    bw_field_destroy(&moment->phi);
    bw_velocity_destroy(&moment->velocity);
    bw_domain_destroy(&moment->domain);
    bw_grid_destroy(moment->grid);
}

static void recorded_destroy(void *solver)
{
    Recorded *recorded = solver;
    if (recorded == NULL)
        return;
    BwAllocator allocator = recorded->allocator;
    bw_scene_bodies_destroy(&recorded->bodies);
    bw_scene_solids_destroy(&recorded->solids);
    for (int n = 0; n < 2; n++)
        destroy_moment(&recorded->moments[n]);
    bw_free(&allocator, recorded, sizeof *recorded, BW_ALIGN);
}

static BwResult start(Recorded *recorded, BwError *err)
{
    Moment *first;
    for (int n = 0; n < 2; n++)
        BW_TRY(create_moment(recorded, &recorded->moments[n], err));
    BW_TRY(bw_scene_solids_create(&recorded->solids, recorded->scene, recorded->allocator, err));
    BW_TRY(bw_scene_bodies_create(&recorded->bodies, recorded->scene, recorded->allocator, err));
    BW_TRY(bring_frame(recorded, 0, &first, err));
    recorded->run_id = bw_frame_file_run_id(first->file); // that all others must be of
    return check_obstacles(recorded, first, err);
}

static BwResult recorded_create(void **out, const BwSolverSetup *setup, BwError *err)
{
    *out = NULL;
    Recorded *recorded = bw_alloc_zeroed(&setup->allocator, sizeof *recorded, BW_ALIGN);
    if (recorded == NULL)
        return bw_fail_memory(err);
    recorded->scene = setup->scene;
    recorded->plain = *setup->scene;
    recorded->plain.body_count = 0;
    recorded->allocator = setup->allocator;
    recorded->pool = setup->pool;
    recorded->stop = setup->stop;
    BwResult result = start(recorded, err);
    if (result != BW_OK)
        recorded_destroy(recorded);
    else
        *out = recorded;
    return result;
}

static bool moves(const BwMotionDef *motion)
{
    return bw_curve_is_given(&motion->position) || bw_curve_is_given(&motion->velocity) ||
           bw_curve_is_given(&motion->rotation) || bw_curve_is_given(&motion->spin);
}

static BwResult recorded_step_limit(void *solver, double time, double *limit, BwError *err)
{
    const Recorded *recorded = solver;
    (void)time, (void)err;
    *limit = 1.0 / recorded->scene->fps;
    for (int n = 0; n < recorded->scene->obstacle_count; n++)
        if (moves(&recorded->scene->obstacles[n].motion))
            *limit = 1.0 / (steps_a_frame * recorded->scene->fps);
    return BW_OK;
}

// Before the first step of a run there is no pressure.
static BwBodyWater water_of(const Moment *moment, BwVec3 gravity)
{
    return (BwBodyWater){.domain = &moment->domain,
                         .velocity = &moment->velocity,
                         .phi = &moment->phi,
                         .liquid = &moment->liquid,
                         .pressure = frame_of(moment)->number > 0 ? &moment->pressure : NULL,
                         .pressure_scale = 1.0,
                         .gravity = gravity};
}

// A part of a step, between frame `number` and the next.
static BwResult move_between(Recorded *recorded, int number, double time, double dt, BwError *err)
{
    double fps = recorded->scene->fps;
    Moment *before, *after;
    BwVec3 gravity;
    BW_TRY(bring_frame(recorded, number, &before, err));
    BW_TRY(bring_frame(recorded, number + 1, &after, err));
    BW_TRY(bw_scene_walls_look_up(recorded->scene, time + dt, time + dt, before->domain.side, err));
    BW_TRY(bw_curve_vector_at(&recorded->scene->gravity, time, &gravity, err));
    BW_TRY(bw_scene_solids_move(&recorded->solids, time, dt, err));
    BwBodyWater later = water_of(after, gravity), water = water_of(before, gravity);
    water.later = &later;
    water.share = fmin(fmax(time * fps - number, 0.0), 1.0);
    water.share_after = fmin(fmax((time + dt) * fps - number, 0.0), 1.0);
    bw_scene_bodies_move(&recorded->bodies, &water, &recorded->solids, dt);
    return water.share_after > 1.0 - 1e-6 ? check_obstacles(recorded, after, err) : BW_OK;
}

static BwResult recorded_step(void *solver, double time, double dt, BwStats *stats, BwError *err)
{
    Recorded *recorded = solver;
    BwStageClock clock = bw_stage_clock(stats, recorded->pool);
    double fps = recorded->scene->fps, end = time + dt, rounding = 1e-6 / fps;
    bw_stage(&clock, "bodies");
    for (double at = time; end - at > 0.0;) {
        int number = (int)floor(at * fps + 1e-6);
        double next = (number + 1) / fps, until = next < end - rounding ? next : end;
        BW_TRY(bw_obey_stop(recorded->stop, err));
        BW_TRY(move_between(recorded, number, at, until - at, err));
        at = until;
    }
    bw_stage(&clock, NULL);
    return BW_OK;
}

static const Moment *find_moment(const Recorded *recorded, int number)
{
    const Moment *moment = &recorded->moments[number % 2];
    return moment->file != NULL && frame_of(moment)->number == number ? moment : NULL;
}

// The length of the vector of the components' largest magnitudes, on the low faces of cells that hold liquid.
static float speed_of(const BwFrame *frame)
{
    const BwFrameField *fluid = bw_frame_field(frame, "fluid");
    double sum = 0.0;
    int64_t count = (int64_t)frame->tile_count * BW_TILE * BW_TILE * frame->layers;
    for (int a = 0; a < frame->dimension; a++) {
        const BwFrameField *u = bw_frame_field(frame, flow_names[a]);
        float most = 0.0f;
        for (int64_t n = 0; n < count; n++)
            most = fluid->values[n] != 0.0f ? fmaxf(most, fabsf(u->values[n])) : most;
        sum += (double)most * (double)most;
    }
    return (float)sqrt(sum);
}

static double volume_of(Recorded *recorded, Moment *moment)
{
    bw_measure_open(&moment->open, &moment->open_measured, &moment->domain, recorded->solids.poses,
                    recorded->scene->obstacle_count, true);
    return bw_level_volume(&moment->phi, &moment->open, &moment->domain);
}

// What the frame shows; what its run knew besides stands in its own stats.
static void recorded_measure(void *solver, BwStats *stats)
{
    Recorded *recorded = solver;
    const Moment *moment = find_moment(recorded, stats->frame);
    const BwFrame *frame = moment != NULL ? frame_of(moment) : NULL;
    stats->divergence = stats->kinetic_energy = stats->volume_drift = stats->heat = stats->dissipation =
        stats->fuel = stats->burnt = stats->gasified = stats->expanded = stats->residual = (double)NAN;
    for (int side = 0; side < BW_SIDE_COUNT; side++)
        stats->heat_flux[side] = (double)NAN;
    bw_scene_bodies_tell(&recorded->bodies, stats);
    if (frame == NULL)
        return;
    stats->tiles = frame->tile_count;
    stats->cells = bw_grid_live_cells(moment->grid);
    stats->particles = 0;
    for (int n = 0; n < frame->particle_set_count; n++)
        stats->particles += frame->particles[n].count;
    stats->max_speed = recorded->max_speed = speed_of(frame);
    stats->volume = stats->mass = volume_of(recorded, &recorded->moments[stats->frame % 2]);
}

// The frame of the run as it is, with the obstacles, and the bodies in it.
static BwResult recorded_frame(void *solver, const BwRecord *kept, BwFrame *frame, BwError *err)
{
    Recorded *recorded = solver;
    Moment *moment;
    (void)kept;
    BW_TRY(bring_frame(recorded, frame->number, &moment, err));
    BwFrame shown = *frame_of(moment);
    shown.number = frame->number;
    shown.time = frame->time;
    shown.has_walls = frame->has_walls;
    shown.walls = frame->walls;
    memcpy(shown.sides, frame_of(moment)->sides, sizeof shown.sides);
    *frame = shown;
    bw_scene_solids_show(&recorded->solids, frame);
    bw_scene_bodies_show(&recorded->bodies, &recorded->solids, frame);
    return BW_OK;
}

// Whatever speed the run had, nothing here can run away.
static BwResult recorded_drive(void *solver, double time, BwDrive *drive, BwError *err)
{
    const Recorded *recorded = solver;
    (void)time, (void)err;
    *drive = (BwDrive){.speed = recorded->max_speed, .length = INFINITY, .jump = recorded->solids.first_jump};
    return BW_OK;
}

static BwVec3 recorded_fastest_place(void *solver)
{
    (void)solver;
    return bw_vec3(0.0f, 0.0f, 0.0f);
}

static BwResult recorded_check(void *solver, double dt, BwError *err)
{
    const Recorded *recorded = solver;
    (void)dt;
    for (int n = 0; n < recorded->scene->body_count; n++)
        for (int a = 0; a < 3; a++)
            if (!isfinite(recorded->bodies.bodies[n].place[a]))
                return bw_fail(err, BW_ERR_NUMERICS, "body %d is nowhere", n + 1);
    return BW_OK;
}

static BwResult recorded_save(void *solver, BwRecord *record, BwError *err)
{
    const Recorded *recorded = solver;
    void *run;
    BW_TRY(bw_record_add(record, "recorded_run", BW_RECORD_INT32, 1, 2, &run, err));
    memcpy(run, &recorded->run_id, sizeof recorded->run_id);
    BW_TRY(bw_solids_save(recorded->solids.poses, recorded->scene->obstacle_count, record, err));
    return bw_scene_bodies_save(&recorded->bodies, record, err);
}

static BwResult recorded_load(void *solver, const BwRecord *record, BwError *err)
{
    Recorded *recorded = solver;
    Moment *moment;
    const void *run;
    double frame;
    int64_t one = 1;
    BW_TRY(bw_record_find(record, "recorded_run", BW_RECORD_INT32, &one, 2, &run, err));
    if (memcmp(run, &recorded->run_id, sizeof recorded->run_id) != 0)
        return fail_of(recorded, BW_ERR_FORMAT,
                       "it is not the run that the state was made from; it has been run again since", err);
    BW_TRY(bw_record_find_number(record, "frame", &frame, err));
    BW_TRY(bw_solids_load(recorded->solids.poses, recorded->scene->obstacle_count, record, err));
    BW_TRY(bw_scene_bodies_load(&recorded->bodies, record, err));
    return bring_frame(recorded, (int)frame, &moment, err);
}

// Obstacles are compared with those of the run.
static BwResult recorded_agree(void *solver, const BwRecord *record, BwError *err)
{
    const Recorded *recorded = solver;
    double frame, time;
    BW_TRY(bw_record_find_number(record, "frame", &frame, err));
    BW_TRY(bw_record_find_number(record, "time", &time, err));
    const Moment *moment = find_moment(recorded, (int)frame);
    bool is_at_frame = fabs(time * recorded->scene->fps - frame) < 1e-6;
    return is_at_frame && moment != NULL ? check_obstacles(recorded, moment, err) : BW_OK;
}

const BwSolverType bw_recorded_solver = {.fluid = BW_FLUID_RECORDED,
                                         .create = recorded_create,
                                         .destroy = recorded_destroy,
                                         .step_limit = recorded_step_limit,
                                         .step = recorded_step,
                                         .measure = recorded_measure,
                                         .frame = recorded_frame,
                                         .drive = recorded_drive,
                                         .fastest_place = recorded_fastest_place,
                                         .check = recorded_check,
                                         .save = recorded_save,
                                         .load = recorded_load,
                                         .agree = recorded_agree};
