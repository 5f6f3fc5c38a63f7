// A checkpoint that is written while its world goes on: it holds the state of the frame at which it began,
// and trouble with the file is told when it is finished.
#include "scenes_to_keep.h"

#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

static void must(BwResult result, const BwError *err)
{
    if (result != BW_OK)
        fail_msg("%s", err->message);
}

static void the_world_may_go_on_meanwhile(void **state)
{
    (void)state;
    char path[64];
    BwError err = {0};
    snprintf(path, sizeof path, "/tmp/test_checkpoint_thread_%d.h5", (int)getpid());
    BwScene *scene = load_kept_scene(1);
    const BwSceneDef *def = bw_scene_view_def(scene);
    BwWorld *world = make_world(def, 2);
    BwCheckpointWrite *write;
    step_frames(world, 2);
    uint64_t hash = bw_frame_hash(frame_of(world));
    must(bw_checkpoint_begin(&write, world, path, false, &err), &err);
    step_frames(world, 2);
    must(bw_checkpoint_finish(write, &err), &err);
    bw_world_destroy(world);
    world = make_world(def, 1);
    must(bw_checkpoint_load(world, path, &err), &err);
    assert_true(bw_frame_hash(frame_of(world)) == hash);
    bw_world_destroy(world);
    bw_scene_destroy(scene);
    remove(path);
}

static void trouble_is_told_at_the_end(void **state)
{
    (void)state;
    BwError err = {0};
    BwScene *scene = load_kept_scene(2);
    BwWorld *world = make_world(bw_scene_view_def(scene), 2);
    BwCheckpointWrite *write;
    must(bw_checkpoint_begin(&write, world, "/tmp/no_such_folder_of_ours/a.h5", false, &err), &err);
    step_frames(world, 1);
    assert_int_equal(bw_checkpoint_finish(write, &err), BW_ERR_FILE);
    assert_non_null(strstr(err.message, "/tmp/no_such_folder_of_ours/a.h5.part"));
    bw_world_destroy(world);
    bw_scene_destroy(scene);
}

enum { ROUNDS = 12 };

// A thread that keeps and reads back a world of its own, and a frame of it.
typedef struct Keeper {
    pthread_t thread;
    const BwSceneDef *def;
    BwWorld *world;
    int frames, failures;
    char message[sizeof((BwError *)NULL)->message]; // of the last failure
} Keeper;

static void note(Keeper *keeper, bool is_well, const char *message)
{
    keeper->failures += !is_well;
    if (!is_well)
        snprintf(keeper->message, sizeof keeper->message, "%s", message);
}

static void keep_once(Keeper *keeper, bool compress)
{
    BwWorld *world = keeper->world;
    char path[2][64];
    BwError err = {0};
    for (int n = 0; n < 2; n++)
        snprintf(path[n], sizeof path[n], "/tmp/test_checkpoint_thread_%d_%d_%d.h5", (int)getpid(),
                 keeper->frames, n);
    const BwFrame *frame = bw_world_view_frame(world, &err);
    uint64_t hash = bw_frame_hash(frame);
    BwFrameFile *file;
    note(keeper, bw_frame_save(frame, path[1], 0, &err) == BW_OK, err.message);
    note(keeper, bw_frame_load(&file, path[1], keeper->def, 0, &err) == BW_OK, err.message);
    note(keeper, file != NULL && bw_frame_file_view(file)->number == keeper->frames, "another's frame");
    bw_frame_file_destroy(file);
    note(keeper, bw_checkpoint_save(world, path[0], compress, &err) == BW_OK, err.message);
    note(keeper, bw_checkpoint_load(world, path[0], &err) == BW_OK, err.message);
    note(keeper, bw_frame_hash(bw_world_view_frame(world, &err)) == hash, "another's state");
    for (int n = 0; n < 2; n++)
        remove(path[n]);
}

static void *keep_world(void *context)
{
    Keeper *keeper = context;
    for (int n = 0; n < ROUNDS && keeper->failures == 0; n++)
        keep_once(keeper, n % 2 == 1);
    return NULL;
}

static void threads_keep_worlds_of_their_own(void **state)
{
    (void)state;
    BwScene *scenes[2] = {load_kept_scene(1), load_kept_scene(1)};
    Keeper keepers[2];
    for (int n = 0; n < 2; n++) {
        keepers[n] = (Keeper){.def = bw_scene_view_def(scenes[n]), .frames = 1 + n};
        keepers[n].world = make_world(keepers[n].def, 1);
        step_frames(keepers[n].world, keepers[n].frames);
    }
    for (int n = 0; n < 2; n++)
        assert_int_equal(pthread_create(&keepers[n].thread, NULL, keep_world, &keepers[n]), 0);
    for (int n = 0; n < 2; n++)
        pthread_join(keepers[n].thread, NULL);
    for (int n = 0; n < 2; n++) {
        if (keepers[n].failures > 0)
            fail_msg("thread %d: %s", n, keepers[n].message);
        bw_world_destroy(keepers[n].world);
        bw_scene_destroy(scenes[n]);
    }
}

int main(void)
{
    if (!bw_checkpoint_is_built())
        return 0;
    const struct CMUnitTest tests[] = {cmocka_unit_test(the_world_may_go_on_meanwhile),
                                       cmocka_unit_test(trouble_is_told_at_the_end),
                                       cmocka_unit_test(threads_keep_worlds_of_their_own)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
