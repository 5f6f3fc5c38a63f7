// The solver's thread: takes requests, steps, copies, hands over.
#include "simulation.h"

#include "brush.h"
#include "seconds.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOVES_MAX = 64, SHOTS = 3 };

typedef struct Move {
    bool is_emitter;
    int number;
    BwPose pose; // of emitters the position alone, from where the scene has them
} Move;

// What the window asks for. The thread takes all of it at once.
typedef struct Requests {
    bool must_restart, must_reload, must_copy;
    int steps;
    int frame; // of a recording; -1: the next
    Stroke strokes[BRUSH_COUNT];
    Move moves[MOVES_MAX];
    int move_count;
    bool sets[BW_LIVE_NUMBER_COUNT], sets_gravity;
    float numbers[BW_LIVE_NUMBER_COUNT];
    BwVec3 gravity;
} Requests;

struct Simulation {
    SimulationDef def;
    pthread_t thread;
    pthread_mutex_t lock; // of what follows, up to `stop`
    pthread_cond_t wake;
    Requests asked;
    bool is_paused, is_ending, is_replaying;
    unsigned channels;
    char trouble[sizeof(((BwError *)0)->message)];
    Snapshot shots[SHOTS]; // one is written, one waits, one is looked at
    int writing, waiting, looking;
    bool has_waiting, has_any;

    volatile int stop; // not 0: ends the step at work

    // Of the thread alone.
    Stage *stage;
    BwWorld *world;
    BwEventFile *replay;
    BrushState brushes[BRUSH_COUNT];
    int frame;          // of a recording
    double next_second; // when the next step is due
    BwResult record_result;
    BwError record_error;
};

static void tell_trouble(Simulation *s, const char *message)
{
    pthread_mutex_lock(&s->lock);
    snprintf(s->trouble, sizeof s->trouble, "%s", message);
    pthread_mutex_unlock(&s->lock);
}

static void stop_at_trouble(Simulation *s, const BwError *err)
{
    tell_trouble(s, err->message);
    simulation_pause(s, true);
}

static void print_warning(void *user, BwLogLevel level, const char *message)
{
    (void)user;
    if (level >= BW_LOG_WARNING)
        fprintf(stderr, "billow: %s\n", message);
}

// A world of the stage that takes the place of the one there was.
static BwResult make_world(Simulation *s, Stage *stage, BwError *err)
{
    BwWorldDef def = bw_world_def_default();
    BwWorld *world;
    def.scene = stage_scene(stage);
    def.worker_count = s->def.worker_count;
    def.log.write = print_warning;
    BwResult result = bw_world_create(&world, &def, err);
    if (result != BW_OK)
        return result;
    bw_world_destroy(s->world);
    s->world = world;
    memset(s->brushes, 0, sizeof s->brushes);
    return BW_OK;
}

static BwResult load_stage(Simulation *s, BwError *err)
{
    StageDef def = s->def.stage;
    Stage *stage;
    if (s->def.recording != NULL)
        def.loaded = s->def.recording->scene;
    BwResult result = stage_create(&stage, &def, err);
    if (result == BW_OK && s->def.recording == NULL)
        result = bw_scene_def_check_runnable(stage_scene(stage), err);
    if (result == BW_OK && s->def.recording == NULL)
        result = make_world(s, stage, err);
    if (result != BW_OK) {
        stage_release(stage);
        return result;
    }
    stage_release(s->stage);
    s->stage = stage;
    return BW_OK;
}

static const BwFrame *view_frame(Simulation *s, BwError *err)
{
    if (s->def.recording != NULL)
        return s->def.recording->view(s->def.recording->user, s->frame, err);
    return bw_world_view_frame(s->world, err);
}

static void publish(Simulation *s)
{
    pthread_mutex_lock(&s->lock);
    int waiting = s->waiting;
    s->waiting = s->writing;
    s->writing = waiting;
    s->has_waiting = s->has_any = true;
    pthread_mutex_unlock(&s->lock);
}

static void copy_frame(Simulation *s)
{
    BwError err = {0};
    Snapshot *shot = &s->shots[s->writing];
    pthread_mutex_lock(&s->lock);
    unsigned channels = s->channels;
    pthread_mutex_unlock(&s->lock);
    if (s->stage == NULL)
        return;
    const BwFrame *frame = view_frame(s, &err);
    if (frame == NULL || snapshot_take(shot, s->stage, frame, channels, &err) != BW_OK) {
        stop_at_trouble(s, &err);
        return;
    }
    shot->steps = s->world != NULL ? bw_world_view_events(s->world).steps : s->frame;
    shot->hash = s->def.keeps_hash ? bw_frame_hash(frame) : 0;
    shot->stats = s->world != NULL ? *bw_world_view_stats(s->world) : (BwStats){.frame = s->frame};
    shot->stats.obstacles = NULL;
    shot->stats.obstacle_count = 0;
    shot->stats.bodies = NULL;
    shot->stats.body_count = 0;
    publish(s);
}

static BwResult apply_moves(Simulation *s, const Requests *asked, BwError *err)
{
    BwResult result = BW_OK;
    for (int n = 0; n < asked->move_count && result == BW_OK; n++) {
        const Move *move = &asked->moves[n];
        if (move->is_emitter)
            result = bw_world_set_emitter_offset(s->world, bw_world_emitter(s->world, move->number),
                                                 move->pose.position, err);
        else
            result = bw_world_set_obstacle_pose(s->world, bw_world_obstacle(s->world, move->number),
                                                move->pose, err);
    }
    return result;
}

static BwResult apply_numbers(Simulation *s, const Requests *asked, BwError *err)
{
    BwResult result = asked->sets_gravity ? bw_world_set_gravity(s->world, asked->gravity, err) : BW_OK;
    for (int n = 0; n < BW_LIVE_NUMBER_COUNT && result == BW_OK; n++)
        if (asked->sets[n])
            result = bw_world_set_number(s->world, (BwLiveNumber)n, asked->numbers[n], err);
    return result;
}

static BwResult apply_strokes(Simulation *s, Requests *asked, BwError *err)
{
    BwResult result = BW_OK;
    for (int brush = 0; brush < BRUSH_COUNT && result == BW_OK; brush++) {
        StrokePiece pieces[BRUSH_PIECES];
        int count = stroke_take(&asked->strokes[brush], pieces, BRUSH_PIECES);
        result = brush_apply(s->world, s->stage, (Brush)brush, &s->brushes[brush], pieces, count, err);
    }
    return result;
}

static BwEvents replayed_events(const Simulation *s)
{
    return s->replay != NULL ? bw_event_file_view(s->replay) : (BwEvents){0};
}

static bool is_replaying(const Simulation *s)
{
    return s->world != NULL && bw_world_view_events(s->world).steps < replayed_events(s).steps;
}

static BwResult step_world(Simulation *s, Requests *asked, BwError *err)
{
    if (is_replaying(s)) {
        BwEvents events = replayed_events(s);
        return bw_world_replay(s->world, &events, 1, &s->stop, err);
    }
    BwResult result = apply_strokes(s, asked, err);
    if (result == BW_OK)
        result = apply_moves(s, asked, err);
    if (result == BW_OK)
        result = apply_numbers(s, asked, err);
    return result == BW_OK ? bw_world_step(s->world, SIMULATION_STEP, &s->stop, err) : result;
}

static void play_frame(Simulation *s, const Requests *asked)
{
    int count = s->def.recording->frame_count + 1;
    s->frame = asked->frame >= 0 ? asked->frame % count : (s->frame + 1) % count;
}

static void take_step(Simulation *s, Requests *asked)
{
    BwError err = {0};
    if (s->def.recording != NULL) {
        play_frame(s, asked);
    } else if (s->world != NULL) {
        BwResult result = step_world(s, asked, &err);
        if (result == BW_ERR_INTERRUPTED)
            return;
        if (result != BW_OK)
            stop_at_trouble(s, &err);
    }
    pthread_mutex_lock(&s->lock);
    s->is_replaying = is_replaying(s);
    pthread_mutex_unlock(&s->lock);
    copy_frame(s);
}

static void begin_again(Simulation *s, const Requests *asked)
{
    BwError err = {0};
    BwResult result = BW_OK;
    if (asked->must_reload || s->stage == NULL)
        result = load_stage(s, &err);
    else if (s->def.recording == NULL)
        result = make_world(s, s->stage, &err);
    s->frame = 0;
    tell_trouble(s, result == BW_OK ? "" : err.message);
    if (result == BW_OK)
        copy_frame(s);
}

static double seconds_of_step(const Simulation *s)
{
    return s->def.recording != NULL ? 1.0 / s->def.recording->fps : SIMULATION_STEP;
}

// Whether there is something to do now; called with the lock held.
static bool has_work(const Simulation *s)
{
    const Requests *asked = &s->asked;
    bool is_due = s->def.is_unpaced || seconds_now() >= s->next_second;
    return s->is_ending || asked->must_restart || asked->must_reload || asked->must_copy ||
           asked->steps > 0 || asked->frame >= 0 || (!s->is_paused && is_due);
}

static void wait_for_work(Simulation *s)
{
    while (!has_work(s)) {
        double until = s->is_paused ? seconds_now() + 1.0 : s->next_second;
        struct timespec time = {(time_t)until, (long)(1e9 * (until - (double)(time_t)until))};
        pthread_cond_timedwait(&s->wake, &s->lock, &time);
    }
}

// Takes what was asked, and leaves what goes on: strokes of a mouse that is down. What is drawn while nothing
// steps waits for the next step.
static bool take_requests(Simulation *s, Requests *taken, bool *steps)
{
    pthread_mutex_lock(&s->lock);
    wait_for_work(s);
    *taken = s->asked;
    *steps = !s->is_paused || taken->steps > 0 || taken->frame >= 0;
    s->asked.must_restart = s->asked.must_reload = s->asked.must_copy = false;
    s->asked.frame = -1;
    s->asked.steps = 0;
    if (*steps) {
        s->asked.move_count = 0;
        s->asked.sets_gravity = false;
        memset(s->asked.sets, 0, sizeof s->asked.sets);
        for (int brush = 0; brush < BRUSH_COUNT; brush++) {
            StrokePiece ignored[BRUSH_PIECES];
            stroke_take(&s->asked.strokes[brush], ignored, BRUSH_PIECES);
        }
    }
    bool goes_on = !s->is_ending;
    pthread_mutex_unlock(&s->lock);
    return goes_on;
}

// Steps that are late are not made up for.
static void set_next_time(Simulation *s)
{
    double now = seconds_now(), step = seconds_of_step(s);
    s->next_second = s->next_second + step > now ? s->next_second + step : now;
}

static void save_record(Simulation *s)
{
    if (s->def.record == NULL || s->world == NULL)
        return;
    BwEvents events = bw_world_view_events(s->world);
    s->record_result = bw_events_save(&events, s->def.record, &s->record_error);
}

static void *run(void *context)
{
    Simulation *s = context;
    Requests asked = {.must_reload = true};
    bool steps;
    begin_again(s, &asked);
    while (take_requests(s, &asked, &steps)) {
        if (asked.must_reload || asked.must_restart)
            begin_again(s, &asked);
        int count = asked.steps > 1 ? asked.steps : 1;
        set_next_time(s);
        for (int n = 0; n < count && steps && __atomic_load_n(&s->stop, __ATOMIC_RELAXED) == 0; n++)
            take_step(s, &asked);
        if (!steps && asked.must_copy)
            copy_frame(s);
    }
    save_record(s);
    bw_world_destroy(s->world);
    bw_event_file_destroy(s->replay);
    stage_release(s->stage);
    return NULL;
}

BwResult simulation_create(Simulation **out, const SimulationDef *def, BwError *err)
{
    Simulation *s = calloc(1, sizeof *s);
    pthread_condattr_t attributes;
    *out = NULL;
    if (s == NULL) {
        *err = (BwError){BW_ERR_MEMORY, "out of memory for the simulation"};
        return BW_ERR_MEMORY;
    }
    if (def->replay != NULL && bw_events_load(&s->replay, def->replay, NULL, err) != BW_OK) {
        free(s);
        return err->code;
    }
    s->def = *def;
    s->asked.frame = -1;
    s->is_paused = def->is_paused;
    s->is_replaying = def->replay != NULL;
    s->writing = 0;
    s->waiting = 1;
    s->looking = 2;
    s->channels = CHANNEL_BIT(CHANNEL_DENSITY);
    pthread_mutex_init(&s->lock, NULL);
    pthread_condattr_init(&attributes);
    pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
    pthread_cond_init(&s->wake, &attributes);
    pthread_condattr_destroy(&attributes);
    if (pthread_create(&s->thread, NULL, run, s) != 0) {
        bw_event_file_destroy(s->replay);
        free(s);
        *err = (BwError){BW_ERR_BACKEND, "a thread for the solver could not be started"};
        return BW_ERR_BACKEND;
    }
    *out = s;
    return BW_OK;
}

BwResult simulation_destroy(Simulation *s, BwError *err)
{
    if (s == NULL)
        return BW_OK;
    pthread_mutex_lock(&s->lock);
    s->is_ending = true;
    __atomic_store_n(&s->stop, 1, __ATOMIC_RELAXED);
    pthread_cond_signal(&s->wake);
    pthread_mutex_unlock(&s->lock);
    pthread_join(s->thread, NULL);
    BwResult result = s->record_result;
    if (result != BW_OK && err != NULL)
        *err = s->record_error;
    for (int n = 0; n < SHOTS; n++)
        snapshot_free(&s->shots[n]);
    pthread_cond_destroy(&s->wake);
    pthread_mutex_destroy(&s->lock);
    free(s);
    return result;
}

const Snapshot *simulation_view(Simulation *s, bool *is_new)
{
    pthread_mutex_lock(&s->lock);
    *is_new = s->has_waiting;
    if (s->has_waiting) {
        int looking = s->looking;
        s->looking = s->waiting;
        s->waiting = looking;
        s->has_waiting = false;
    }
    bool has_any = s->has_any;
    pthread_mutex_unlock(&s->lock);
    return has_any ? &s->shots[s->looking] : NULL;
}

bool simulation_trouble(Simulation *s, char *message, size_t size)
{
    pthread_mutex_lock(&s->lock);
    snprintf(message, size, "%s", s->trouble);
    pthread_mutex_unlock(&s->lock);
    return message[0] != '\0';
}

// Requests: each takes the lock, notes, and wakes the thread.
static Requests *begin_request(Simulation *s)
{
    pthread_mutex_lock(&s->lock);
    return &s->asked;
}

static void end_request(Simulation *s)
{
    pthread_cond_signal(&s->wake);
    pthread_mutex_unlock(&s->lock);
}

void simulation_want(Simulation *s, unsigned channels)
{
    begin_request(s)->must_copy |= channels != s->channels;
    s->channels = channels;
    end_request(s);
}

void simulation_pause(Simulation *s, bool is_paused)
{
    begin_request(s);
    s->is_paused = is_paused;
    end_request(s);
}

bool simulation_is_paused(Simulation *s)
{
    begin_request(s);
    bool is_paused = s->is_paused;
    end_request(s);
    return is_paused;
}

bool simulation_is_replaying(Simulation *s)
{
    begin_request(s);
    bool is = s->is_replaying;
    end_request(s);
    return is;
}

void simulation_step(Simulation *s)
{
    begin_request(s)->steps++;
    end_request(s);
}

void simulation_restart(Simulation *s)
{
    begin_request(s)->must_restart = true;
    end_request(s);
}

void simulation_reload(Simulation *s)
{
    begin_request(s)->must_reload = true;
    end_request(s);
}

void simulation_scrub(Simulation *s, int frame)
{
    begin_request(s)->frame = frame;
    end_request(s);
}

void simulation_draw(Simulation *s, Brush brush, BwVec3 point, double seconds, bool is_first)
{
    stroke_add(&begin_request(s)->strokes[brush], point, seconds, is_first);
    end_request(s);
}

void simulation_lift(Simulation *s)
{
    Requests *asked = begin_request(s);
    for (int brush = 0; brush < BRUSH_COUNT; brush++)
        stroke_end(&asked->strokes[brush]);
    end_request(s);
}

// A thing that is moved twice before a step goes to the last place.
static void ask_move(Simulation *s, Move move)
{
    Requests *asked = begin_request(s);
    int n = 0;
    while (n < asked->move_count &&
           (asked->moves[n].is_emitter != move.is_emitter || asked->moves[n].number != move.number))
        n++;
    if (n < MOVES_MAX) {
        asked->moves[n] = move;
        asked->move_count = n == asked->move_count ? n + 1 : asked->move_count;
    }
    end_request(s);
}

void simulation_move_obstacle(Simulation *s, int number, BwPose pose)
{
    ask_move(s, (Move){.number = number, .pose = pose});
}

void simulation_move_emitter(Simulation *s, int number, BwVec3 by)
{
    ask_move(s, (Move){.is_emitter = true, .number = number, .pose = {.position = by}});
}

void simulation_set_number(Simulation *s, BwLiveNumber number, float value)
{
    Requests *asked = begin_request(s);
    asked->sets[number] = true;
    asked->numbers[number] = value;
    end_request(s);
}

void simulation_set_gravity(Simulation *s, BwVec3 gravity)
{
    Requests *asked = begin_request(s);
    asked->sets_gravity = true;
    asked->gravity = gravity;
    end_request(s);
}
