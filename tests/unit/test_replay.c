// What may be replayed where: a world with another past and a run of another scene are refused, what waited
// when a run ended waits in the replay too, and a long past costs nothing.
#include "base/clock.h"
#include "physics/run.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static BwEmitterDef emitter;

static BwSceneDef small_room(double fps)
{
    BwSceneDef scene = smoke_scene(2, 0.125f);
    set_box(&scene, 1.0f, 1.0f, 0.0f);
    emitter = bw_emitter_def_default();
    emitter.shape = bw_sphere(bw_vec3(0.5f, 0.3f, 0.0f), 0.2f);
    emitter.density = bw_curve_number(1.0f);
    emitter.velocity = bw_curve_vector(0.0f, 1.0f, 0.0f);
    scene.emitters = &emitter;
    scene.emitter_count = 1;
    scene.fps = fps;
    return scene;
}

static BwWorld *room(double fps)
{
    BwSceneDef scene = small_room(fps);
    return make_world(&scene, 1);
}

static void must(BwResult result, const BwError *err)
{
    if (result != BW_OK)
        fail_msg("%s", err->message);
}

static void set_density(BwWorld *world, float density)
{
    BwError err = {0};
    must(bw_world_set_emitter_density(world, bw_world_emitter(world, 0), density, &err), &err);
}

static void take(BwWorld *world, double dt, int count)
{
    BwError err = {0};
    for (int n = 0; n < count; n++)
        must(bw_world_step(world, dt, NULL, &err), &err);
}

static void refused(BwWorld *world, const BwEvents *run, const char *words)
{
    BwError err = {0};
    int64_t steps = bw_world_view_events(world).steps;
    BwResult result = bw_world_replay(world, run, 100, NULL, &err);
    if (result == BW_OK || err.code != result || strstr(err.message, words) == NULL)
        fail_msg("result %d, \"%s\"; wanted \"%s\"", (int)result, err.message, words);
    assert_int_equal(bw_world_view_events(world).steps, steps);
}

static bool is_same(BwWorld *a, BwWorld *b)
{
    return bw_frame_hash(frame_of(a)) == bw_frame_hash(frame_of(b)) && frame_of(a)->time == frame_of(b)->time;
}

static void steps_of_another_length_are_another_past(void **state)
{
    (void)state;
    BwWorld *run = room(24.0), *world = room(24.0);
    take(run, 0.02, 3);
    take(world, 0.01, 1);
    BwEvents events = bw_world_view_events(run);
    refused(world, &events, "not the beginning of the run");
    bw_world_destroy(world);
    // The same sets at the same times, but the last step was longer: of a set only the length tells.
    world = room(24.0);
    set_density(world, 2.0f);
    take(world, 0.03, 1);
    BwWorld *other = room(24.0);
    set_density(other, 2.0f);
    take(other, 0.02, 2);
    events = bw_world_view_events(other);
    refused(world, &events, "not the beginning of the run");
    bw_world_destroy(world);
    bw_world_destroy(other);
    bw_world_destroy(run);
}

// Frames of 1/24 s and of 1/60 s: the second event would come at another time.
static void runs_of_other_scenes_are_refused(void **state)
{
    (void)state;
    BwWorld *run = room(24.0), *world = room(60.0);
    BwError err = {0};
    for (int n = 0; n < 4; n++) {
        set_density(run, 1.0f + (float)n);
        step_frames(run, 1);
    }
    BwEvents events = bw_world_view_events(run);
    assert_int_equal(bw_world_replay(world, &events, 10, NULL, &err), BW_ERR_DEF);
    assert_non_null(strstr(err.message, "another scene"));
    assert_int_equal(bw_world_view_events(world).count, 1);
    set_density(world, 3.0f);
    step_frames(world, 1);
    if (bw_checkpoint_is_built()) { // what is left can be saved and loaded
        char path[64];
        snprintf(path, sizeof path, "/tmp/billow_replay_%d.h5", (int)getpid());
        BwWorld *loaded = room(60.0);
        must(bw_checkpoint_save(world, path, false, &err), &err);
        must(bw_checkpoint_load(loaded, path, &err), &err);
        assert_true(is_same(world, loaded));
        remove(path);
        bw_world_destroy(loaded);
    }
    bw_world_destroy(run);
    bw_world_destroy(world);
}

// Lists that no world wrote: the world's own log would not come out the same.
static void runs_at_odds_with_themselves_are_refused(void **state)
{
    (void)state;
    const BwEvent step = {.kind = BW_EVENT_STEP, .dt = 0.01};
    const BwEvent set = {.kind = BW_EVENT_EMITTER_DENSITY, .generation = 1, .dt = 0.01, .value = {2.0f}};
    BwEvent again = step, late = set, odd = set;
    again.step = late.step = 1;
    again.time = late.time = 0.01;
    odd.dt = 0.02;
    const BwEvent after[] = {step, set}, twice[] = {step, again}, other[] = {odd, step}, wrong[] = {late};
    BwEvents runs[] = {{after, 2, 2, NULL}, {other, 2, 2, NULL}, {wrong, 1, 2, NULL}};
    static const char *const words[] = {"after its length", "lasts", "another scene"};
    for (int n = 0; n < 3; n++) {
        BwWorld *world = room(24.0);
        BwError err = {0};
        if (n == 2)
            step_frames(world, 1);
        refused(world, &runs[n], words[n]);
        assert_int_equal(bw_world_replay(world, &runs[n], 0, NULL, &err), n == 0 ? BW_ERR_FORMAT : BW_OK);
        bw_world_destroy(world);
    }
    BwWorld *world = room(24.0);
    BwError err = {0};
    assert_int_equal(bw_world_replay(world, &(BwEvents){twice, 2, 3, NULL}, 3, NULL, &err), BW_ERR_DEF);
    assert_non_null(strstr(err.message, "as the one before"));
    bw_world_destroy(world);
}

static void what_waited_at_the_end_waits_again(void **state)
{
    (void)state;
    BwWorld *run = room(24.0), *world = room(24.0), *slow = room(24.0);
    BwError err = {0};
    take(run, 0.01, 3);
    set_density(run, 5.0f);
    BwEvents events = bw_world_view_events(run);
    must(bw_world_replay(world, &events, 2, NULL, &err), &err);
    assert_int_equal(bw_world_view_events(world).count, 1); // the length of the steps
    for (int n = 0; n < 5; n++)
        must(bw_world_replay(world, &events, 100, NULL, &err), &err);
    assert_int_equal(bw_world_view_events(world).count, 2);
    take(run, 0.02, 1);
    take(world, 0.02, 1);
    assert_true(is_same(run, world));
    // One that follows a run while it grows.
    for (int n = 0; n < 12; n++) {
        events = bw_world_view_events(run);
        must(bw_world_replay(slow, &events, 100, NULL, &err), &err);
        assert_int_equal(bw_world_view_events(slow).count, events.count);
        assert_true(is_same(run, slow));
        set_density(run, 1.0f + (float)n);
        if (n % 3 != 0)
            take(run, 0.01 * (1 + n % 2), 1);
    }
    bw_world_destroy(run);
    bw_world_destroy(world);
    bw_world_destroy(slow);
}

// Another list in the place of the one that was replayed so far.
static void lists_that_change_are_seen(void **state)
{
    (void)state;
    BwWorld *run = room(24.0), *world = room(24.0);
    BwError err = {0};
    for (int n = 0; n < 4; n++) {
        set_density(run, 1.0f + (float)n);
        step_frames(run, 1);
    }
    BwEvent list[4];
    BwEvents events = bw_world_view_events(run);
    memcpy(list, events.list, sizeof list);
    events.list = list;
    must(bw_world_replay(world, &events, 2, NULL, &err), &err);
    list[1].value[0] = 9.0f;
    refused(world, &events, "not the beginning of the run");
    list[1].value[0] = 2.0f;
    list[3].kind = (BwEventKind)99;
    assert_int_equal(bw_world_replay(world, &events, 2, NULL, &err), BW_ERR_DEF);
    assert_non_null(strstr(err.message, "kind"));
    bw_world_destroy(run);
    bw_world_destroy(world);
}

static double least_seconds_a_call(int sets)
{
    BwWorld *run = room(24.0), *world = room(24.0);
    BwError err = {0};
    for (int n = 0; n < sets; n++)
        set_density(run, 1.0f);
    step_frames(run, 40);
    BwEvents events = bw_world_view_events(run);
    must(bw_world_replay(world, &events, 1, NULL, &err), &err);
    double least = 1e9;
    for (int n = 1; n < 40; n++) {
        double began = bw_clock_seconds();
        must(bw_world_replay(world, &events, 1, NULL, &err), &err);
        least = fmin(least, bw_clock_seconds() - began);
    }
    assert_true(is_same(run, world));
    bw_world_destroy(run);
    bw_world_destroy(world);
    return least;
}

static void a_long_past_costs_no_time(void **state)
{
    (void)state;
    double alone = least_seconds_a_call(0), with_past = least_seconds_a_call(300000);
    gate("replay_call_with_past", with_past / alone, GATE_BELOW, 2.0);
}

static void *count_bytes(void *user, void *block, size_t old_size, size_t new_size, size_t align)
{
    int64_t *bytes = user;
    void *grown = NULL;
    if (new_size > 0) {
        grown = aligned_alloc(align, (new_size + align - 1) / align * align);
        if (grown == NULL)
            return NULL;
        if (block != NULL)
            memcpy(grown, block, old_size < new_size ? old_size : new_size);
    }
    free(block);
    *bytes += (int64_t)new_size - (int64_t)(block != NULL ? old_size : 0);
    return grown;
}

static int64_t bytes_of_a_world(int sets)
{
    BwSceneDef scene = small_room(24.0);
    int64_t bytes = 0;
    BwError err = {0};
    BwWorldDef def = bw_world_def_default();
    def.scene = &scene;
    def.worker_count = 1;
    def.allocator = (BwAllocator){.user = &bytes, .resize = count_bytes};
    BwWorld *world;
    must(bw_world_create(&world, &def, &err), &err);
    for (int n = 0; n < sets; n++)
        set_density(world, 1.0f);
    step_frames(world, 3);
    (void)frame_of(world);
    int64_t held = bytes;
    bw_world_destroy(world);
    assert_int_equal(bytes, 0);
    return held;
}

// The list alone, which doubles when it is full; no copy beside it.
static void a_long_past_takes_its_list_alone(void **state)
{
    (void)state;
    double more = (double)(bytes_of_a_world(16000) - bytes_of_a_world(0));
    gate("bytes_an_event", more / 16384.0, GATE_BELOW, 73.0);
}

static void count_warning(void *user, BwLogLevel level, const char *message)
{
    int *count = user;
    *count +=
        level == BW_LOG_WARNING && strstr(message, "\"one\"") != NULL && strstr(message, "\"two\"") != NULL;
}

// Files of events tell the title of their scene; another scene that fits them replays them with a warning.
static void another_title_is_warned_of(void **state)
{
    (void)state;
    const char *const titles[3] = {"one", "two", ""};
    BwError err = {0};
    BwEventFile *file = NULL;
    for (int n = 0; n < 3; n++) {
        int count = 0;
        BwWorldDef def = bw_world_def_default();
        BwSceneDef scene = small_room(24.0);
        BwWorld *world;
        scene.title = titles[n];
        def.scene = &scene;
        def.worker_count = 1;
        def.log = (BwLog){count_warning, &count};
        must(bw_world_create(&world, &def, &err), &err);
        if (n == 0) {
            take(world, 0.02, 3);
            BwEvents events = bw_world_view_events(world);
            must(bw_events_save(&events, "one.events", &err), &err);
            must(bw_events_load(&file, "one.events", NULL, &err), &err);
        } else {
            BwEvents events = bw_event_file_view(file);
            assert_string_equal(events.scene, "one");
            must(bw_world_replay(world, &events, 1, NULL, &err), &err);
            must(bw_world_replay(world, &events, 1, NULL, &err), &err);
            assert_int_equal(count, n == 1 ? 1 : 0); // once; a scene without a title is any
        }
        bw_world_destroy(world);
    }
    bw_event_file_destroy(file);
    unlink("one.events");
}

static void absurd_values_are_refused(void **state)
{
    (void)state;
    BwWorld *world = room(24.0);
    BwError err = {0};
    assert_int_equal(bw_world_set_emitter_density(world, bw_world_emitter(world, 0), 1e30f, &err),
                     BW_ERR_DEF);
    assert_non_null(strstr(err.message, "1e+30"));
    BwEvent event = {.kind = BW_EVENT_EMITTER_DENSITY, .generation = 1, .value = {1e30f}};
    refused(world, &(BwEvents){&event, 1, 1, NULL}, "1e+30");
    bw_world_destroy(world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(another_title_is_warned_of),
        cmocka_unit_test(absurd_values_are_refused),
        cmocka_unit_test(steps_of_another_length_are_another_past),
        cmocka_unit_test(runs_of_other_scenes_are_refused),
        cmocka_unit_test(runs_at_odds_with_themselves_are_refused),
        cmocka_unit_test(what_waited_at_the_end_waits_again),
        cmocka_unit_test(lists_that_change_are_seen),
        cmocka_unit_test(a_long_past_costs_no_time),
        cmocka_unit_test(a_long_past_takes_its_list_alone),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
