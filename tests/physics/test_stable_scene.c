// The stable box run from scenes: smoke rises, solids hold, sides open, workers do not matter, wrong scenes
// are refused.
#include "run.h"
#include "strict_allocator.h"

#include <string.h>

typedef struct Case {
    BwSceneDef scene;
    BwEmitterDef emitter;
    BwObstacleDef obstacle;
} Case;

static void make_case(Case *c, int dimension)
{
    c->scene = bw_scene_def_default();
    c->scene.fluid = BW_FLUID_STABLE;
    c->scene.dimension = dimension;
    c->scene.cell = dimension == 3 ? 1.0f / 24 : 1.0f / 48;
    c->scene.frames = 30;
    set_box(&c->scene, 1.0f, 1.5f, 1.0f);
    c->scene.stable.confinement = 1.0f;
    c->emitter = bw_emitter_def_default();
    c->emitter.shape = ball(0.5f, 0.2f, dimension == 3 ? 0.5f : 0.0f, 0.1f);
    c->emitter.density = bw_curve_number(1.0f);
    c->emitter.velocity = bw_curve_vector(0.0f, 1.5f, 0.0f);
    c->obstacle = bw_obstacle_def_default();
    c->obstacle.shape = ball(0.5f, 0.8f, dimension == 3 ? 0.5f : 0.0f, 0.12f);
    c->scene.emitters = &c->emitter;
    c->scene.emitter_count = 1;
    c->scene.obstacles = &c->obstacle;
    c->scene.obstacle_count = 1;
}

// Density above a height, and inside the ball.
static void weigh(const BwFrame *frame, float height, double *above, double *inside)
{
    const BwFrameField *density = bw_frame_field(frame, "density"), *solid = bw_frame_field(frame, "solid");
    *above = *inside = 0.0;
    for (int32_t tile = 0; tile < frame->tile_count; tile++)
        for (int n = 0; n < 64 * frame->layers; n++) {
            size_t at = (size_t)tile * 64 * (size_t)frame->layers + (size_t)n;
            float y = ((float)(frame->tiles[tile].y * 8 + n / 8 % 8) + 0.5f) * frame->cell_size;
            *above += y > height ? (double)density->values[at] : 0.0;
            *inside += solid->values[at] != 0.0f ? fabs((double)density->values[at]) : 0.0;
        }
}

static void smoke_rises_round_a_ball(void **state)
{
    (void)state;
    for (int make = 0; make < 4; make++) {
        Case c;
        make_case(&c, make == 1 ? 3 : 2);
        c.scene.stable.number = make == 2 ? BW_NUMBER_FIXED : BW_NUMBER_FLOAT;
        c.scene.stable.solver = make == 3 ? BW_STABLE_FAST : BW_STABLE_RELAXATION;
        BwWorld *world = make_world(&c.scene, 2);
        step_frames(world, 24);
        double above, inside;
        weigh(frame_of(world), 0.6f, &above, &inside);
        const BwStats *stats = bw_world_view_stats(world);
        gate("stable.scene.risen", above * pow((double)c.scene.cell, c.scene.dimension), GATE_ABOVE, 1e-3);
        gate("stable.scene.in_the_ball", inside, GATE_BELOW, 0.0);
        assert_int_equal(stats->steps, 1);
        assert_true(stats->mass > 0.0 && stats->emitted > 0.0 && stats->max_speed > 0.1f);
        assert_true(isfinite(stats->divergence));
        bool has_sweeps = c.scene.stable.solver == BW_STABLE_RELAXATION;
        assert_int_equal(stats->stop_reason, has_sweeps ? BW_STOP_ITERATIONS : BW_STOP_CONVERGED);
        assert_true(has_sweeps ? isnan(stats->residual) && stats->iterations == 40
                               : stats->residual > 0.0 && stats->iterations > 0);
        bw_world_destroy(world);
    }
}

// Wind from the left, out at the right, past the ball.
static void a_tunnel_scene_blows(void **state)
{
    (void)state;
    Case c;
    make_case(&c, 2);
    c.scene.emitter_count = 0;
    c.scene.walls.side[BW_LEFT].kind = BW_WALL_INFLOW;
    c.scene.walls.side[BW_LEFT].velocity = bw_curve_vector(1.0f, 0.0f, 0.0f);
    c.scene.walls.side[BW_RIGHT].kind = BW_WALL_OPEN;
    c.scene.stable.solver = BW_STABLE_CG;
    BwWorld *world = make_world(&c.scene, 1);
    step_frames(world, 10);
    const BwFrame *frame = frame_of(world);
    double speed = (double)frame_value(frame, bw_frame_field(frame, "u"), 2, 10, 0);
    gate("stable.scene.tunnel_error", fabs(speed - 1.0), GATE_BELOW, 0.2);
    bw_world_destroy(world);
}

static void workers_do_not_change_a_frame(void **state)
{
    (void)state;
    uint64_t hash[2];
    for (int n = 0; n < 2; n++) {
        Case c;
        make_case(&c, 2);
        BwWorld *world = make_world(&c.scene, n == 0 ? 1 : 3);
        step_frames(world, 5);
        hash[n] = bw_frame_hash(frame_of(world));
        bw_world_destroy(world);
    }
    assert_true(hash[0] == hash[1]);
}

// The box has arrays, not tiles: a period of twelve cells that begins at cell -3 is just that.
static void a_period_is_as_long_as_its_walls(void **state)
{
    (void)state;
    Case c;
    make_case(&c, 2);
    c.scene.cell = 1.0f / 12;
    c.scene.obstacle_count = 0;
    c.scene.walls.min = bw_vec3(-0.25f, 0.0f, 0.0f);
    c.scene.walls.max = bw_vec3(0.75f, 1.5f, 0.0f);
    c.scene.walls.periodic[0] = true;
    BwWorld *world = make_world(&c.scene, 1);
    step_frames(world, 2);
    assert_int_equal(bw_world_view_stats(world)->cells, 12 * 18);
    assert_int_equal(frame_of(world)->tiles[0].x, -1);
    bw_world_destroy(world);
}

static void expect_refusal(const BwSceneDef *scene, const char *text)
{
    BwWorld *world;
    BwError err = {0};
    BwWorldDef def = bw_world_def_default();
    def.scene = scene;
    assert_int_equal(bw_world_create(&world, &def, &err), BW_ERR_SCENE);
    assert_non_null(strstr(err.message, text));
}

static void what_the_box_cannot_do_is_said(void **state)
{
    (void)state;
    Case c;
    make_case(&c, 2);
    c.scene.has_walls = false;
    expect_refusal(&c.scene, "the scene needs walls");
    make_case(&c, 2);
    c.scene.walls.side[BW_TOP].velocity = bw_curve_vector(1.0f, 0.0f, 0.0f);
    expect_refusal(&c.scene, "walls.top.velocity cannot be run");
    make_case(&c, 2);
    c.scene.walls.side[BW_LEFT].kind = BW_WALL_OPEN;
    c.scene.walls.side[BW_LEFT].part = ball(9.0f, 9.0f, 0.0f, 1.0f);
    expect_refusal(&c.scene, "walls.left.part holds no face");
}

// Every allocation of a world's life fails once: an error each time, nothing left behind.
static void short_memory_is_an_error_and_leaks_nothing(void **state)
{
    (void)state;
    Case c;
    make_case(&c, 2);
    BwResult result = BW_ERR_MEMORY;
    for (int n = 0; result != BW_OK; n++) {
        StrictAllocator strict = {0};
        BwWorldDef def = bw_world_def_default();
        def.scene = &c.scene;
        def.allocator = strict_allocator(&strict);
        fail_after(&strict, n);
        BwWorld *world;
        result = bw_world_create(&world, &def, NULL);
        if (result == BW_OK)
            result = bw_world_step_frame(world, NULL, NULL);
        if (result == BW_OK)
            result = bw_world_view_frame(world, NULL) != NULL ? BW_OK : BW_ERR_MEMORY;
        assert_true(result == BW_OK || result == BW_ERR_MEMORY);
        bw_world_destroy(world);
        assert_nothing_left(&strict);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(smoke_rises_round_a_ball),
        cmocka_unit_test(a_tunnel_scene_blows),
        cmocka_unit_test(workers_do_not_change_a_frame),
        cmocka_unit_test(a_period_is_as_long_as_its_walls),
        cmocka_unit_test(what_the_box_cannot_do_is_said),
        cmocka_unit_test(short_memory_is_an_error_and_leaks_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
