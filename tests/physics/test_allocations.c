// Memory that runs out: in a short life of each kept scene every allocation fails once, one in five of them
// but for the full size, which are others in each scene. An error is returned, nothing leaks, nothing
// crashes.
#include "scenes_to_keep.h"
#include "strict_allocator.h"

#include <stdio.h>
#include <unistd.h>

static char path[64]; // of the checkpoint

static int name_file(void **state)
{
    (void)state;
    snprintf(path, sizeof path, "/tmp/test_allocations_%d.h5", (int)getpid());
    return 0;
}

static int remove_files(void **state)
{
    (void)state;
    remove(path);
    return 0;
}

// Creates, steps, keeps, goes on and looks; gives the first failure.
static BwResult live_a_little(const BwSceneDef *scene, BwAllocator allocator)
{
    BwError err;
    BwWorld *world;
    BwWorldDef def = bw_world_def_default();
    def.scene = scene;
    def.worker_count = 1;
    def.allocator = allocator;
    BwResult result = bw_world_create(&world, &def, &err);
    if (result == BW_OK)
        result = bw_world_step_frame(world, NULL, &err);
    if (result == BW_OK)
        result = bw_world_view_frame(world, &err) != NULL ? BW_OK : err.code;
    if (result == BW_OK)
        result = bw_checkpoint_save(world, path, false, &err);
    if (result == BW_OK)
        result = bw_checkpoint_load(world, path, &err);
    bw_world_destroy(world);
    return result;
}

// What HDF5 takes for itself does not come through our allocator.
static void any_allocation_may_fail(void **state)
{
    (void)state;
    for (int n = 0; n < KEPT_SCENES; n++) {
        BwScene *scene = load_kept_scene(n);
        StrictAllocator strict = {0};
        BwAllocator allocator = strict_allocator(&strict);
        BwResult result = BW_ERR_MEMORY;
        const int step = IS_FULL ? 1 : 5;
        int allocations = n % step;
        for (; result != BW_OK; allocations += step) {
            fail_after(&strict, allocations);
            result = live_a_little(bw_scene_view_def(scene), allocator);
            assert_true(result == BW_OK || result == BW_ERR_MEMORY);
            assert_nothing_left(&strict);
        }
        printf("%s: %d allocations\n", kept_scenes[n].name, allocations - step);
        assert_true(allocations > 50);
        bw_scene_destroy(scene);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(any_allocation_may_fail)};
    return cmocka_run_group_tests(tests, name_file, remove_files);
}
