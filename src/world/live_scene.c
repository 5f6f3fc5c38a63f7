// What events do to the scene.
#include "world/live_scene.h"

#include "scene/check.h"
#include "solid/motion.h"
#include "world/event_log.h"
#include "world/live_numbers.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static int thing_count(const BwSceneDef *def)
{
    return def->emitter_count + def->obstacle_count + def->force_count;
}

static BwResult allocate(void **list, BwLiveScene *live, int count, size_t size, BwError *err)
{
    *list = bw_alloc_zeroed(&live->allocator, (size_t)count * size, BW_ALIGN);
    return *list != NULL || count == 0 ? BW_OK : bw_fail_memory(err);
}

static BwResult create_lists(BwLiveLists *lists, BwLiveScene *live, const BwSceneDef *def, BwError *err)
{
    void *emitters, *obstacles, *forces, *moves;
    BW_TRY(allocate(&emitters, live, def->emitter_count, sizeof *lists->emitters, err));
    lists->emitters = emitters;
    BW_TRY(allocate(&obstacles, live, def->obstacle_count, sizeof *lists->obstacles, err));
    lists->obstacles = obstacles;
    BW_TRY(allocate(&forces, live, def->force_count, sizeof *lists->forces, err));
    lists->forces = forces;
    BW_TRY(allocate(&moves, live, def->obstacle_count, sizeof *lists->moves, err));
    lists->moves = moves;
    return BW_OK;
}

static void destroy_lists(const BwLiveLists *lists, const BwLiveScene *live)
{
    const BwSceneDef *def = &live->first.def;
    const BwAllocator *allocator = &live->allocator;
    bw_free(allocator, lists->emitters, (size_t)def->emitter_count * sizeof *lists->emitters, BW_ALIGN);
    bw_free(allocator, lists->obstacles, (size_t)def->obstacle_count * sizeof *lists->obstacles, BW_ALIGN);
    bw_free(allocator, lists->forces, (size_t)def->force_count * sizeof *lists->forces, BW_ALIGN);
    bw_free(allocator, lists->moves, (size_t)def->obstacle_count * sizeof *lists->moves, BW_ALIGN);
}

BwResult bw_live_create(BwLiveScene *live, const BwSceneDef *def, BwAllocator allocator, BwError *err)
{
    *live = (BwLiveScene){.allocator = allocator, .first = {.arena = {.allocator = allocator}}};
    BW_TRY(bw_scene_copy(&live->first, def, err));
    void *is_removed;
    BW_TRY(create_lists(&live->now, live, def, err));
    BW_TRY(create_lists(&live->kept, live, def, err));
    BW_TRY(allocate(&is_removed, live, thing_count(def), sizeof *live->is_removed, err));
    live->is_removed = is_removed;
    bw_live_reset(live);
    return BW_OK;
}

void bw_live_destroy(BwLiveScene *live)
{
    destroy_lists(&live->now, live);
    destroy_lists(&live->kept, live);
    bw_free(&live->allocator, live->is_removed,
            (size_t)thing_count(&live->first.def) * sizeof *live->is_removed, BW_ALIGN);
    bw_scene_copy_destroy(&live->first);
}

static void copy_list(void *list, const void *first, int count, size_t size)
{
    if (count > 0)
        memcpy(list, first, (size_t)count * size);
}

static void copy_lists(const BwLiveLists *to, const BwLiveLists *from, const BwSceneDef *def)
{
    copy_list(to->emitters, from->emitters, def->emitter_count, sizeof *to->emitters);
    copy_list(to->obstacles, from->obstacles, def->obstacle_count, sizeof *to->obstacles);
    copy_list(to->forces, from->forces, def->force_count, sizeof *to->forces);
    copy_list(to->moves, from->moves, def->obstacle_count, sizeof *to->moves);
}

void bw_live_keep(BwLiveScene *live)
{
    copy_lists(&live->kept, &live->now, &live->first.def);
    live->kept_def = live->def;
}

void bw_live_undo(BwLiveScene *live)
{
    copy_lists(&live->now, &live->kept, &live->first.def);
    live->def = live->kept_def;
}

void bw_live_reset(BwLiveScene *live)
{
    const BwSceneDef *first = &live->first.def;
    live->def = *first;
    copy_list(live->now.emitters, first->emitters, first->emitter_count, sizeof *live->now.emitters);
    copy_list(live->now.obstacles, first->obstacles, first->obstacle_count, sizeof *live->now.obstacles);
    copy_list(live->now.forces, first->forces, first->force_count, sizeof *live->now.forces);
    live->def.emitters = live->now.emitters;
    live->def.obstacles = live->now.obstacles;
    live->def.forces = live->now.forces;
    for (int n = 0; n < first->obstacle_count; n++)
        live->now.moves[n] = (BwMove){.from = bw_pose_identity(), .to = bw_pose_identity()};
    for (int n = 0; n < thing_count(first); n++)
        live->is_removed[n] = false;
}

// What an event may be about, and the field of the scene that it sets: its range is that of the event.
typedef struct Target {
    const char *constructor, *field; // the second NULL: no field
    int count, first;                // of the things of this kind, in `is_removed`
} Target;

// What an event is about.
typedef enum Thing { OF_EMITTER, OF_OBSTACLE, OF_FORCE } Thing;

static Thing thing_of(BwEventKind kind)
{
    if (kind == BW_EVENT_EMITTER_CAPSULE || kind == BW_EVENT_EMITTER_OFFSET)
        return OF_EMITTER;
    if (kind >= BW_EVENT_FORCE_ON)
        return OF_FORCE;
    return kind >= BW_EVENT_OBSTACLE_POSE ? OF_OBSTACLE : OF_EMITTER;
}

static Target target_of(const BwLiveScene *live, BwEventKind kind)
{
    static const char *const fields[BW_EVENT_COUNT] = {
        [BW_EVENT_EMITTER_DENSITY] = "density",
        [BW_EVENT_EMITTER_RATE] = "density_rate",
        [BW_EVENT_EMITTER_TEMPERATURE] = "temperature",
        [BW_EVENT_EMITTER_VELOCITY] = "velocity",
        [BW_EVENT_FORCE_ACCELERATION] = "acceleration",
        [BW_EVENT_FORCE_STRENGTH] = "strength",
        [BW_EVENT_FORCE_CENTER] = "center",
    };
    const BwSceneDef *def = &live->def;
    switch (thing_of(kind)) {
    case OF_FORCE:
        return (Target){"force", fields[kind], def->force_count, def->emitter_count + def->obstacle_count};
    case OF_OBSTACLE:
        return (Target){"obstacle", fields[kind], def->obstacle_count, def->emitter_count};
    default:
        return (Target){"emitter", fields[kind], def->emitter_count, 0};
    }
}

static bool is_removal(BwEventKind kind)
{
    return kind == BW_EVENT_EMITTER_REMOVED || kind == BW_EVENT_OBSTACLE_REMOVED ||
           kind == BW_EVENT_FORCE_REMOVED;
}

static BwResult check_id(const BwLiveScene *live, const Target *target, const BwEvent *event, BwError *err)
{
    if (event->generation == 0)
        return bw_fail(err, BW_ERR_DEF, "the id of the %s is none", target->constructor);
    if (event->generation != 1 || event->index < 0 || event->index >= target->count)
        return bw_fail(err, BW_ERR_DEF, "the id (%d, %u) is of no %s of this world", (int)event->index,
                       (unsigned)event->generation, target->constructor);
    if (live->is_removed[target->first + event->index])
        return bw_fail(err, BW_ERR_DEF, "%s %d was removed", target->constructor, (int)event->index + 1);
    return BW_OK;
}

static void *def_of(BwLiveScene *live, const BwEvent *event)
{
    switch (thing_of(event->kind)) {
    case OF_FORCE:
        return &live->now.forces[event->index];
    case OF_OBSTACLE:
        return &live->now.obstacles[event->index];
    default:
        return &live->now.emitters[event->index];
    }
}

static BwResult check_field(const BwLiveScene *live, const Target *target, const BwEvent *event, int count,
                            BwError *err)
{
    const BwSceneField *field = bw_field_find(bw_constructor_find(target->constructor), target->field);
    const char *def = def_of((BwLiveScene *)(uintptr_t)live, event);
    char name[64];
    snprintf(name, sizeof name, "%s %d", target->constructor, (int)event->index + 1);
    BwPlace place = bw_place(NULL, 0, name);
    if (!bw_curve_is_given((const BwCurve *)(const void *)(def + field->offset)))
        return bw_fail_at(err, &place, field->name, "is not given in the scene, so it cannot be set");
    if (live->def.dimension == 2 && count == 3)
        BW_TRY(bw_check_in_plane(field, event->value, &place, err));
    return bw_check_numbers(field, event->value, count, &place, err);
}

static float squared(const float *values, int count)
{
    float sum = 0.0f;
    for (int n = 0; n < count; n++)
        sum += values[n] * values[n];
    return sum;
}

// Of a pose: position and rotation; of a velocity: that and the spin. In 2-D all happens in the plane.
static BwResult check_motion(const BwLiveScene *live, const BwEvent *event, BwError *err)
{
    const float *v = event->value, far = 1e6f;
    bool is_pose = event->kind == BW_EVENT_OBSTACLE_POSE;
    for (int n = 0; n < (is_pose ? 7 : 6); n++)
        if (!(fabsf(v[n]) <= far))
            return bw_fail(err, BW_ERR_DEF, "obstacle %d is given a %s with %g; it must be within +-%g",
                           (int)event->index + 1, is_pose ? "pose" : "velocity", (double)v[n], (double)far);
    if (is_pose && !(fabsf(squared(v + 3, 4) - 1.0f) < 1e-3f))
        return bw_fail(err, BW_ERR_DEF, "obstacle %d is given a rotation of length %g; it must be 1",
                       (int)event->index + 1, sqrt((double)squared(v + 3, 4)));
    if (live->def.dimension == 2 && (v[2] != 0.0f || v[3] != 0.0f || v[4] != 0.0f))
        return bw_fail(err, BW_ERR_DEF, "obstacle %d is to leave the plane of a 2-D scene",
                       (int)event->index + 1);
    return BW_OK;
}

static bool is_shape(BwEventKind kind)
{
    return kind == BW_EVENT_EMITTER_CAPSULE || kind == BW_EVENT_EMITTER_OFFSET ||
           kind == BW_EVENT_FORCE_CAPSULE;
}

// Of a capsule: from, to and radius; of an offset: the way. In 2-D all happens in the plane.
static BwResult check_shape(const BwLiveScene *live, const BwEvent *event, BwError *err)
{
    const float *v = event->value, far = 1e6f;
    const char *thing = event->kind == BW_EVENT_FORCE_CAPSULE ? "force" : "emitter";
    bool is_capsule = event->kind != BW_EVENT_EMITTER_OFFSET;
    int number = (int)event->index + 1;
    for (int n = 0; n < (is_capsule ? 7 : 3); n++)
        if (!(fabsf(v[n]) <= far))
            return bw_fail(err, BW_ERR_DEF, "%s %d is given a place with %g; it must be within +-%g", thing,
                           number, (double)v[n], (double)far);
    if (is_capsule && !(v[6] > 0.0f))
        return bw_fail(err, BW_ERR_DEF, "%s %d is given a radius of %g m; it must be positive", thing, number,
                       (double)v[6]);
    if (live->def.dimension == 2 && (v[2] != 0.0f || (is_capsule && v[5] != 0.0f)))
        return bw_fail(err, BW_ERR_DEF, "%s %d is to leave the plane of a 2-D scene", thing, number);
    return BW_OK;
}

static BwResult check_force(const BwLiveScene *live, const BwEvent *event, BwError *err)
{
    bool is_uniform = live->now.forces[event->index].field == BW_FORCE_UNIFORM;
    bool is_well = event->kind == BW_EVENT_FORCE_ACCELERATION ? is_uniform
                   : event->kind == BW_EVENT_FORCE_STRENGTH   ? !is_uniform
                                                              : true;
    if (is_well)
        return BW_OK;
    return bw_fail(err, BW_ERR_DEF, "force %d is %s: set its %s", (int)event->index + 1,
                   is_uniform ? "uniform" : "not uniform", is_uniform ? "acceleration" : "strength");
}

BwResult bw_live_take(BwLiveScene *live, const BwEvent *event, BwError *err)
{
    if (event->kind == BW_EVENT_STEP)
        return BW_OK;
    if (bw_live_is_number(event->kind))
        return bw_live_check_number(live, event, err);
    Target target = target_of(live, event->kind);
    BW_TRY(check_id(live, &target, event, err));
    if (target.field != NULL)
        BW_TRY(check_field(live, &target, event, bw_event_value_count(event->kind), err));
    if (event->kind == BW_EVENT_OBSTACLE_POSE || event->kind == BW_EVENT_OBSTACLE_VELOCITY)
        BW_TRY(check_motion(live, event, err));
    if (is_shape(event->kind))
        BW_TRY(check_shape(live, event, err));
    else if (thing_of(event->kind) == OF_FORCE)
        BW_TRY(check_force(live, event, err));
    if (is_removal(event->kind))
        live->is_removed[target.first + event->index] = true;
    return BW_OK;
}

static float share_at(const BwMove *move, double time)
{
    if (!(time < move->end))
        return 1.0f;
    return time > move->begin ? (float)((time - move->begin) / (move->end - move->begin)) : 0.0f;
}

static BwResult position_at(void *user, double time, float value[4], BwError *err)
{
    (void)err;
    const BwMove *move = user;
    float share = share_at(move, time);
    BwVec3 way = bw_mul(bw_sub(move->to.position, move->from.position), share);
    BwVec3 at = share < 1.0f ? bw_add(move->from.position, way) : move->to.position;
    value[0] = at.x;
    value[1] = at.y;
    value[2] = at.z;
    return BW_OK;
}

// Axis times angle, the shorter way round.
static BwVec3 vector_of_turn(BwQuat q)
{
    float sign = q.w < 0.0f ? -1.0f : 1.0f;
    BwVec3 axis = bw_mul(bw_vec3(q.x, q.y, q.z), sign);
    float sine = bw_length(axis);
    return sine > 0.0f ? bw_mul(axis, 2.0f * atan2f(sine, sign * q.w) / sine) : axis;
}

static BwQuat turn_by(BwVec3 vector)
{
    return bw_quat_turn(vector, bw_length(vector));
}

static BwVec3 turn_between(BwQuat from, BwQuat to)
{
    return vector_of_turn(bw_quat_mul(to, bw_quat_conjugate(from)));
}

static BwResult rotation_at(void *user, double time, float value[4], BwError *err)
{
    (void)err;
    const BwMove *move = user;
    float share = share_at(move, time);
    BwVec3 way = bw_mul(turn_between(move->from.rotation, move->to.rotation), share);
    BwVec3 at =
        vector_of_turn(share < 1.0f ? bw_quat_mul(turn_by(way), move->from.rotation) : move->to.rotation);
    value[0] = at.x;
    value[1] = at.y;
    value[2] = at.z;
    return BW_OK;
}

static bool is_moved(const BwObstacleDef *obstacle)
{
    return obstacle->motion.position.function == position_at;
}

void bw_live_rest(BwLiveScene *live)
{
    for (int n = 0; n < live->def.obstacle_count; n++)
        if (is_moved(&live->now.obstacles[n]))
            live->now.moves[n].speed = 0.0f;
}

static void move_to(BwLiveScene *live, const BwEvent *event, const BwStepInterval *span)
{
    const float *v = event->value;
    BwObstacleDef *obstacle = &live->now.obstacles[event->index];
    BwMove *move = &live->now.moves[event->index];
    memcpy(&move->from, (const char *)span->poses + (size_t)event->index * span->stride, sizeof move->from);
    float scale = 1.0f / sqrtf(squared(v + 3, 4));
    move->to = (BwPose){{v[0], v[1], v[2]}, {v[3] * scale, v[4] * scale, v[5] * scale, v[6] * scale}};
    move->begin = span->begin;
    move->end = span->end;
    float way =
        bw_length(bw_sub(move->to.position, move->from.position)) +
        bw_length(turn_between(move->from.rotation, move->to.rotation)) * bw_shape_reach(&obstacle->shape);
    move->speed = span->end > span->begin ? way / (float)(span->end - span->begin) : 0.0f;
    BwCurve curve = {.kind = BW_CURVE_FUNCTION, .components = 3, .user = move};
    obstacle->motion = (BwMotionDef){.position = curve, .rotation = curve};
    obstacle->motion.position.function = position_at;
    obstacle->motion.rotation.function = rotation_at;
}

static void move_on(BwLiveScene *live, const BwEvent *event)
{
    const float *v = event->value;
    BwObstacleDef *obstacle = &live->now.obstacles[event->index];
    obstacle->motion = (BwMotionDef){.velocity = bw_curve_vector(v[0], v[1], v[2]),
                                     .spin = bw_curve_vector(v[3], v[4], v[5])};
    live->now.moves[event->index].speed =
        sqrtf(squared(v, 3)) + sqrtf(squared(v + 3, 3)) * bw_shape_reach(&obstacle->shape);
}

static void remove_obstacle(BwLiveScene *live, int index)
{
    BwObstacleDef *obstacle = &live->now.obstacles[index];
    obstacle->shape = (BwShape){.kind = BW_SHAPE_NONE};
    obstacle->motion = (BwMotionDef){.velocity = bw_curve_vector(0.0f, 0.0f, 0.0f),
                                     .spin = bw_curve_vector(0.0f, 0.0f, 0.0f)};
    obstacle->temperature = (BwCurve){0};
    obstacle->emit = NULL;
    live->now.moves[index].speed = 0.0f;
}

// From then on for ever, or never.
static void switch_on(double *start, double *stop, bool is_on, double then)
{
    *start = is_on ? then : (double)INFINITY;
    *stop = (double)INFINITY;
}

// A blob comes out when it starts; all else has always been on.
static void switch_thing(BwLiveScene *live, const BwEvent *event, bool is_on)
{
    if (thing_of(event->kind) == OF_FORCE) {
        BwForceDef *force = &live->now.forces[event->index];
        switch_on(&force->start, &force->stop, is_on, 0.0);
        return;
    }
    BwEmitterDef *emitter = &live->now.emitters[event->index];
    switch_on(&emitter->start, &emitter->stop, is_on, emitter->kind == BW_EMIT_BLOB ? event->time : 0.0);
}

// What is moved is the shape that the scene came with, which is there as long as the world is.
static void set_shape(BwLiveScene *live, const BwEvent *event)
{
    const float *v = event->value;
    BwVec3 from = {v[0], v[1], v[2]}, to = {v[3], v[4], v[5]};
    if (event->kind == BW_EVENT_FORCE_CAPSULE)
        live->now.forces[event->index].shape = bw_capsule(from, to, v[6]);
    else if (event->kind == BW_EVENT_EMITTER_CAPSULE)
        live->now.emitters[event->index].shape = bw_capsule(from, to, v[6]);
    else
        live->now.emitters[event->index].shape =
            bw_translate(&live->first.def.emitters[event->index].shape, from);
}

static void set_field(BwLiveScene *live, const BwEvent *event)
{
    Target target = target_of(live, event->kind);
    const BwSceneField *field = bw_field_find(bw_constructor_find(target.constructor), target.field);
    const float *v = event->value;
    BwCurve curve =
        bw_event_value_count(event->kind) == 3 ? bw_curve_vector(v[0], v[1], v[2]) : bw_curve_number(v[0]);
    memcpy((char *)def_of(live, event) + field->offset, &curve, sizeof curve);
}

bool bw_live_apply(BwLiveScene *live, const BwEvent *event, const BwStepInterval *span)
{
    switch (event->kind) {
    case BW_EVENT_OBSTACLE_POSE:
        move_to(live, event, span);
        return false;
    case BW_EVENT_OBSTACLE_VELOCITY:
        move_on(live, event);
        return false;
    case BW_EVENT_OBSTACLE_REMOVED:
        remove_obstacle(live, event->index);
        return true;
    case BW_EVENT_EMITTER_ON:
    case BW_EVENT_FORCE_ON:
        switch_thing(live, event, event->value[0] != 0.0f);
        return false;
    case BW_EVENT_EMITTER_REMOVED:
    case BW_EVENT_FORCE_REMOVED:
        switch_thing(live, event, false);
        return false;
    case BW_EVENT_EMITTER_CAPSULE:
    case BW_EVENT_EMITTER_OFFSET:
    case BW_EVENT_FORCE_CAPSULE:
        set_shape(live, event);
        return false;
    case BW_EVENT_NUMBER:
    case BW_EVENT_GRAVITY:
        bw_live_set_number(live, event);
        return false;
    case BW_EVENT_STEP:
        return false;
    default:
        set_field(live, event);
        return false;
    }
}

float bw_live_speed(const BwLiveScene *live)
{
    float speed = 0.0f;
    for (int n = 0; n < live->def.obstacle_count; n++)
        speed = fmaxf(speed, live->now.moves[n].speed);
    return speed;
}

enum { MOVE_NUMBERS = 16 };
_Static_assert(sizeof(BwPose) == 7 * sizeof(float), "a pose is seven floats");

BwResult bw_live_save_moves(const BwLiveScene *live, BwRecord *record, BwError *err)
{
    void *values;
    int count = live->def.obstacle_count;
    BW_TRY(bw_record_add(record, "moves", BW_RECORD_DOUBLE, count, MOVE_NUMBERS, &values, err));
    for (int n = 0; n < count; n++) {
        const BwMove *move = &live->now.moves[n];
        double *row = (double *)values + (size_t)n * MOVE_NUMBERS;
        float poses[14];
        memcpy(poses, &move->from, sizeof move->from);
        memcpy(poses + 7, &move->to, sizeof move->to);
        row[0] = move->begin;
        row[1] = move->end;
        for (int v = 0; v < 14; v++)
            row[2 + v] = (double)poses[v];
    }
    return BW_OK;
}

BwResult bw_live_load_moves(BwLiveScene *live, const BwRecord *record, BwError *err)
{
    const void *values;
    int64_t rows = live->def.obstacle_count;
    if (!bw_record_has(record, "moves"))
        return BW_OK;
    BW_TRY(bw_record_find(record, "moves", BW_RECORD_DOUBLE, &rows, MOVE_NUMBERS, &values, err));
    for (int64_t n = 0; n < rows; n++) {
        BwMove *move = &live->now.moves[n];
        const double *row = (const double *)values + n * MOVE_NUMBERS;
        float poses[14];
        for (int v = 0; v < 14; v++)
            poses[v] = (float)row[2 + v];
        memcpy(&move->from, poses, sizeof move->from);
        memcpy(&move->to, poses + 7, sizeof move->to);
        move->begin = row[0];
        move->end = row[1];
        if (!(move->begin <= move->end))
            return bw_fail(err, BW_ERR_FORMAT, "\"moves\" of the state go from %g s back to %g s",
                           move->begin, move->end);
    }
    return BW_OK;
}
