// The cone of a burner: once it stands, what comes in burns, v_f A_f = S A_S (Fedkiw 2003, eq. 1.19). An
// argument picks tests by their names, for those of full size take minutes each.
#include "flame_scene.h"

enum { FPS = 24, SETTLE = FPS, MEAN = 2 * FPS }; // frames

// A burner 24 cells across lets fuel in at n times S through a part of the floor of a shaft that is open
// above; a slot in 2-D, round in 3-D. Open sides this near would let the flame's eddies feed themselves.
static BwWorld *burner(Flame flame, float n)
{
    BwSceneDef scene = flame_scene(flame);
    float h = flame.cell, middle = 32.0f * h, z = flame.dimension == 3 ? middle : 0.0f;
    BwShape pipe = {.kind = BW_SHAPE_CYLINDER,
                    .a = bw_vec3(middle, -1.0f, z),
                    .b = bw_vec3(middle, h, z),
                    .radius = 12.0f * h};
    BwEmitterDef emitter = bw_emitter_def_default();
    emitter.shape = pipe;
    emitter.fuel = bw_curve_number(1.0f);
    set_box(&scene, 64.0f * h, (24.0f + 16.0f * n) * h, 64.0f * h);
    scene.walls.side[BW_TOP].kind = BW_WALL_OPEN;
    scene.walls.side[BW_BOTTOM].kind = BW_WALL_INFLOW;
    scene.walls.side[BW_BOTTOM].velocity = bw_curve_vector(0.0f, n * flame.speed, 0.0f);
    scene.walls.side[BW_BOTTOM].part = pipe;
    scene.emitters = &emitter;
    scene.emitter_count = 1;
    scene.fps = FPS;
    scene.solver.tolerance = 1e-5f;
    return make_world(&scene, 1);
}

// Mean over so many frames of what burns, as a share of v_f A_f.
static double mean_share(BwWorld *world, Flame flame, float n, int frames)
{
    double burnt = 0.0, H = (double)flame.cell, area = flame.dimension == 3 ? M_PI * 144.0 * H * H : 24.0 * H;
    for (int m = 0; m < frames; m++) {
        step_frames(world, 1);
        burnt += bw_world_view_stats(world)->burnt;
    }
    double share = burnt / ((double)(n * flame.speed) * area * frames / FPS);
    printf("%d-D, v/S %g, S %g, to %.2f s: %.4f of what comes burns, fastest %.2f m/s\n", flame.dimension,
           (double)n, (double)flame.speed, bw_world_view_stats(world)->time, share,
           (double)bw_world_view_stats(world)->max_speed);
    fflush(stdout);
    return share;
}

// The first second is not steady; the two that follow are, to a few hundredths, where each of them tells the
// same.
static void check_cone(Flame flame, int n)
{
    char name[40];
    BwWorld *world = burner(flame, (float)n);
    mean_share(world, flame, (float)n, SETTLE);
    double first = mean_share(world, flame, (float)n, MEAN / 2),
           second = mean_share(world, flame, (float)n, MEAN / 2);
    snprintf(name, sizeof name, "flame.cone, v/S %d", n);
    told(name, flame, fabs(0.5 * (first + second) - 1.0), GATE_BELOW, 0.05);
    snprintf(name, sizeof name, "flame.cone_is_steady, v/S %d", n);
    told(name, flame, fabs(second - first), GATE_BELOW, 0.03);
    bw_world_destroy(world);
}

static void check_speeds(int dimension, int n)
{
    check_cone((Flame){dimension, 1.0f / 64.0f, 0.5f, 3.0f}, n);
    if (IS_FULL)
        check_cone((Flame){dimension, 1.0f / 64.0f, 0.3f, 3.0f}, n);
}

static void slot_2(void **state)
{
    (void)state;
    check_speeds(2, 2);
}

static void slot_4(void **state)
{
    (void)state;
    check_speeds(2, 4);
}

static void slot_8(void **state)
{
    (void)state;
    if (IS_FULL)
        check_speeds(2, 8);
}

static void round_2(void **state)
{
    (void)state;
    if (IS_FULL)
        check_speeds(3, 2);
}

static void round_4(void **state)
{
    (void)state;
    if (IS_FULL)
        check_speeds(3, 4);
}

static void round_8(void **state)
{
    (void)state;
    if (IS_FULL)
        check_speeds(3, 8);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(slot_2),  cmocka_unit_test(slot_4),
                                       cmocka_unit_test(slot_8),  cmocka_unit_test(round_2),
                                       cmocka_unit_test(round_4), cmocka_unit_test(round_8)};
    if (argc > 1)
        cmocka_set_test_filter(argv[1]);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
