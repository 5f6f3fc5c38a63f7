// Scenes that ask for what no step can follow: each ends with frames that are finite, or with a report of
// where it broke and the world back at the last good frame. Never with a number in a frame that is none.
#include "run.h"

#include "base/memory.h"
#include "solvers/smoke.h"

#include <stdio.h>

enum { FRAMES = 2 };

static int64_t bad_numbers(const BwFrame *frame)
{
    int64_t count = 0, cells = (int64_t)frame->tile_count * 64 * frame->layers;
    for (int f = 0; f < frame->field_count; f++)
        for (int64_t n = 0; n < cells; n++)
            count += !isfinite(frame->fields[f].values[n]);
    return count;
}

// Runs a script to its end or its breakdown; tells how many retries there were.
static BwResult run_script(const char *text, int *retries, BwError *err)
{
    BwScene *scene;
    if (bw_scene_load_text(&scene, text, strlen(text), "guard", NULL, err) != BW_OK)
        fail_msg("%s", err->message);
    BwWorld *world = make_world(bw_scene_view_def(scene), 2);
    BwResult result = BW_OK;
    *retries = 0;
    for (int frame = 1; frame <= FRAMES && result == BW_OK; frame++) {
        result = bw_world_step_frame(world, NULL, err);
        *retries += bw_world_view_stats(world)->retries;
        const BwFrame *now = frame_of(world);
        assert_int_equal(now->number, result == BW_OK ? frame : frame - 1);
        assert_int_equal(bad_numbers(now), 0);
    }
    bw_world_destroy(world);
    bw_scene_destroy(scene);
    return result;
}

static void expect_finite_or_report(const char *name, const char *text)
{
    BwError err = {0};
    int retries;
    BwResult result = run_script(text, &retries, &err);
    print_message("%s: %d retries, %s\n", name, retries, result == BW_OK ? "finite" : err.message);
    assert_true(result == BW_OK || result == BW_ERR_NUMERICS);
    if (result == BW_ERR_NUMERICS)
        assert_non_null(strstr(err.message, "broke down at"));
}

#define ROOM                                                                                                 \
    "walls { min = {0, 0, 0}, max = {1, 1, 1} }\n"                                                           \
    "emitter { shape = sphere { center = {0.5, 0.3, 0.5}, radius = 0.2 }, density = 1, temperature = 400 "   \
    "}\n"

static void absurd_scenes_end_well(void **state)
{
    (void)state;
    expect_finite_or_report("force of 1e6 in a room",
                            "scene { cell = 1 / 12 }\n" ROOM "force { acceleration = {1e6, 1e6, 0} }");
    expect_finite_or_report("force of 1e30 in the open",
                            "scene { cell = 1 / 12 }\n"
                            "emitter { shape = sphere { center = {0, 0, 0}, radius = 0.2 }, density = 1 }\n"
                            "force { acceleration = {1e30, 0, 0} }");
    expect_finite_or_report("force of 1e30",
                            "scene { cell = 1 / 12 }\n" ROOM "force { acceleration = {1e30, 0, 0} }");
    expect_finite_or_report("vortex of 1e30", "scene { cell = 1 / 12 }\n" ROOM
                                              "force { field = 'vortex', center = {0.5, 0.5, 0.5}, "
                                              "strength = 1e30 }");
    expect_finite_or_report(
        "emitter at 1e35 m/s",
        "scene { cell = 1 / 12 }\n" ROOM
        "emitter { shape = sphere { center = {0.5, 0.5, 0.5}, radius = 0.2 }, density = 1,\n"
        "    velocity = {1e35, 0, 0} }");
    expect_finite_or_report(
        "smoke that begins at 3e38 m/s",
        "scene { cell = 1 / 12 }\n" ROOM
        "initial { velocity = function(x, y) return {6e38 * (0.5 - y), 6e38 * (x - 0.5), 0} end }");
    expect_finite_or_report(
        "liquid that begins at 1e30 m/s",
        "scene { fluid = 'liquid', cell = 1 / 12 }\n"
        "walls { min = {0, 0, 0}, max = {1, 2, 1} }\n"
        "fill { shape = box { min = {0, 0, 0}, max = {1, 1.5, 1} } }\n"
        "initial { velocity = function(x, y) return {1e30 * (0.5 - y), 1e30 * x, 0} end }");
    expect_finite_or_report("heat of 1e38 K",
                            "scene { cell = 1 / 12 }\n" ROOM
                            "emitter { shape = sphere { center = {0.5, 0.5, 0.5}, radius = 0.2 },\n"
                            "    temperature = 1e38 }");
    expect_finite_or_report("fire of 1e38 K that burns at once",
                            "scene { fluid = 'fire', cell = 1 / 12 }\n"
                            "fire { model = 'simple', fuel = { temperature_max = 1e38 }, burn_rate = 1e30 }\n"
                            "emitter { shape = sphere { center = {0.5, 0.5, 0.5}, radius = 0.2 }, fuel = 1,\n"
                            "    temperature = 1e37 }");
    expect_finite_or_report(
        "flame of 1e30 m/s",
        "scene { fluid = 'fire', cell = 1 / 12 }\n"
        "fire { fuel = { flame_speed = 1e30 } }\n"
        "emitter { shape = sphere { center = {0.5, 0.5, 0.5}, radius = 0.2 }, fuel = 1 }");
    expect_finite_or_report("charge of 1e30 J",
                            "scene { cell = 1 / 12 }\n"
                            "charge { shape = sphere { center = {0, 0, 0}, radius = 0.2 }, energy = 1e30 }");
    expect_finite_or_report("obstacle at 100 cells a step",
                            "scene { cell = 1 / 12, steps = 1, fps = 24 }\n" ROOM
                            "obstacle { shape = sphere { center = {-3, 0.5, 0.5}, radius = 0.2 },\n"
                            "    motion = { velocity = {200, 0, 0} } }");
    expect_finite_or_report("cfl of 50", "scene { cell = 1 / 12, cfl = 50 }\n" ROOM
                                         "force { acceleration = {0, 200, 0} }\n"
                                         "smoke { confinement = 50 }");
    expect_finite_or_report("one step of an hour", "scene { cell = 1 / 12, fps = 1e-3, steps = 1 }\n" ROOM
                                                   "force { acceleration = {0, 200, 0} }");
    expect_finite_or_report(
        "stable box, force of 1e30",
        "scene { fluid = 'stable', cell = 1 / 12 }\n"
        "walls { min = {0, 0, 0}, max = {1, 1, 1} }\n"
        "emitter { shape = sphere { center = {0.5, 0.3, 0.5}, radius = 0.2 }, density = 1 }\n"
        "force { acceleration = {1e30, 0, 0} }");
}

// A frame that only breaks in long steps is saved by shorter ones.
static void shorter_steps_save_a_frame(void **state)
{
    (void)state;
    BwError err = {0};
    int retries;
    BwResult result =
        run_script("scene { cell = 1 / 12, fps = 24, steps = 1 }\n" ROOM "smoke { envelope = 0.3 }\n"
                   "pump { shape = sphere { center = {0.5, 0.5, 0.5}, radius = 0.3 },\n"
                   "    velocity = {0, 900, 0} }",
                   &retries, &err);
    if (result != BW_OK)
        fail_msg("%s", err.message);
    gate("guard_retries", retries, GATE_ABOVE, 1);
}

// Smoke in the open that is thrown far in a step must not wake the world: memory is bounded by the reach of a
// step.
static void wild_flow_takes_bounded_memory(void **state)
{
    (void)state;
    const char *text = "scene { dimension = 2, cell = 1 / 32, fps = 24, steps = 1 }\n"
                       "emitter { shape = sphere { center = {0, 0}, radius = 0.1 }, density = 1 }\n"
                       "pump { shape = sphere { center = {0, 0}, radius = 0.1 }, velocity = {0, 40} }";
    BwScene *scene;
    BwError err = {0};
    if (bw_scene_load_text(&scene, text, strlen(text), "guard", NULL, &err) != BW_OK)
        fail_msg("%s", err.message);
    BwWorld *world = make_world(bw_scene_view_def(scene), 2);
    step_frames(world, 2);
    // The smoke is 7 cells across and went as far as a step may; tiles are whole, hence 8 more on each side.
    double side = 7 + BW_FLOW_REACH_MAX + 2 * (BW_FLOW_REACH_MAX + 8);
    gate("guard_cells_of_wild_flow", (double)bw_world_view_stats(world)->cells, GATE_BELOW, side * side);
    bw_world_destroy(world);
    bw_scene_destroy(scene);
}

#define PUSHED_APART                                                                                         \
    "scene { cell = 1 / 12, fps = 24, steps = 2 }\n"                                                         \
    "walls { min = {0, 0, 0}, max = {1, 1, 1} }\n"                                                           \
    "fill { shape = sphere { center = {0.5, 0.5, 0.5}, radius = 0.13 }, density = 1 }\n"                     \
    "force { field = 'point', center = {0.5, 0.5, 0.5}, strength = 600 }\n"

// A push away from the middle moves nothing, for air cannot give way. One sweep of relaxation leaves it in
// the flow, and the smoke carried by it multiplies.
static void smoke_out_of_nothing_is_noticed(void **state)
{
    (void)state;
    BwError err = {0};
    int retries;
    run_script(PUSHED_APART, &retries, &err);
    assert_int_equal(retries, 0);
    run_script(PUSHED_APART "solver { pressure = 'relaxation', iterations_max = 1 }", &retries, &err);
    gate("guard_retries_of_growing_smoke", retries, GATE_ABOVE, 1);
}

// A stuck solver cannot be had from a scene, so the guard is asked itself.
static void a_stuck_solver_is_noticed(void **state)
{
    (void)state;
    BwSceneDef scene = smoke_scene(2, 0.125f);
    set_box(&scene, 1.0f, 1.0f, 1.0f);
    BwError err = {0};
    BwPool *pool;
    BwPoolDef pool_def = {.allocator = bw_allocator_or_default((BwAllocator){0}), .worker_count = 1};
    assert_int_equal(bw_pool_create(&pool, &pool_def, &err), BW_OK);
    BwSolverSetup setup = {.scene = &scene, .allocator = pool_def.allocator, .pool = pool};
    void *solver;
    assert_int_equal(bw_smoke_solver.create(&solver, &setup, &err), BW_OK);
    BwSmoke *smoke = solver;
    assert_int_equal(bw_smoke_check(smoke, 0.1, &err), BW_OK);
    smoke->flow.stop = BW_STOP_STALLED;
    smoke->flow.residual = 1e-4; // as far as float goes
    assert_int_equal(bw_smoke_check(smoke, 0.1, &err), BW_OK);
    smoke->flow.residual = 0.9;
    assert_int_equal(bw_smoke_check(smoke, 0.1, &err), BW_ERR_NUMERICS);
    assert_non_null(strstr(err.message, "the pressure solver got stuck with 0.9"));
    bw_smoke_solver.destroy(solver);
    bw_pool_destroy(pool);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(absurd_scenes_end_well),         cmocka_unit_test(shorter_steps_save_a_frame),
        cmocka_unit_test(wild_flow_takes_bounded_memory), cmocka_unit_test(smoke_out_of_nothing_is_noticed),
        cmocka_unit_test(a_stuck_solver_is_noticed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
