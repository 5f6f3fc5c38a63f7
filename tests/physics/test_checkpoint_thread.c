// A checkpoint that is written while its world goes on: it holds the state of the frame at which it began,
// and trouble with the file is told when it is finished.
#include "scenes_to_keep.h"

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

int main(void)
{
    if (!bw_checkpoint_is_built())
        return 0;
    const struct CMUnitTest tests[] = {cmocka_unit_test(the_world_may_go_on_meanwhile),
                                       cmocka_unit_test(trouble_is_told_at_the_end)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
