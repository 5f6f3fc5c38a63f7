// What a checkpoint of every frame costs: a box of smoke, 128 cells a side, that fills all of it. The share
// of processor time is bounded, for that of the clock depends on what else the machine does.
#include "run.h"

#include "base/clock.h"

#include <stdio.h>
#include <time.h>
#include <unistd.h>

enum { FRAMES = 6 };

static double processor_seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static void finish(BwCheckpointWrite *write)
{
    BwError err = {0};
    if (write != NULL && bw_checkpoint_finish(write, &err) != BW_OK)
        fail_msg("%s", err.message);
}

static void checkpoints_cost_little(void **state)
{
    (void)state;
    char path[64];
    BwCheckpointWrite *write = NULL;
    BwError err = {0};
    snprintf(path, sizeof path, "/tmp/test_checkpoint_cost_%d.h5", (int)getpid());
    BwSceneDef scene = smoke_scene(3, 1.0f / 128.0f);
    set_box(&scene, 1.0f, 1.0f, 1.0f);
    BwEmitterDef emitter = bw_emitter_def_default();
    emitter.shape = ball(0.5f, 0.2f, 0.5f, 0.15f);
    emitter.density = bw_curve_number(1.0f);
    emitter.temperature = bw_curve_number(400.0f);
    scene.emitters = &emitter;
    scene.emitter_count = 1;
    BwWorld *world = make_world(&scene, 0);
    double stepping = 0.0, keeping = 0.0, stepping_work = 0.0, keeping_work = 0.0;
    for (int n = 0; n < FRAMES; n++) {
        double began = bw_clock_seconds(), work = processor_seconds();
        step_frames(world, 1);
        double middle = bw_clock_seconds(), middle_work = processor_seconds();
        finish(write);
        if (bw_checkpoint_begin(&write, world, path, false, &err) != BW_OK)
            fail_msg("%s", err.message);
        stepping += middle - began;
        keeping += bw_clock_seconds() - middle;
        stepping_work += middle_work - work;
        keeping_work += processor_seconds() - middle_work;
    }
    finish(write);
    bw_world_destroy(world);
    remove(path);
    printf("%.3f s a frame, %.3f s a checkpoint; %.3g of its time\n", stepping / FRAMES, keeping / FRAMES,
           keeping / stepping);
    gate("checkpoint_share_of_processor_time", keeping_work / stepping_work, GATE_BELOW, 0.1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(checkpoints_cost_little)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
