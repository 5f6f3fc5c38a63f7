// Viscosity against flows with a known answer: between a lid and a floor (Couette), between plates under a
// push (Poiseuille), around a turning cylinder, and a dying vortex (Taylor-Green); and what walls do that the
// gas slides along or that only stick.
#include "run.h"

// A channel along x, without ends, n cells high and 1 m.
static BwSceneDef channel(int n, float viscosity)
{
    BwSceneDef scene = smoke_scene(2, 1.0f / (float)n);
    scene.fps = 1.0f;
    scene.steps = 1;
    scene.smoke.viscosity = viscosity;
    set_box(&scene, 16.0f / (float)n, 1.0f, 0.0f);
    scene.walls.periodic[0] = true;
    return scene;
}

static float frame_u(const BwFrame *frame, int x, int y)
{
    return frame_value(frame, bw_frame_field(frame, "u"), x, y, 0);
}

// Straight from the floor's speed to the lid's, whatever the grid.
static void couette_flow_is_a_straight_line(void **state)
{
    (void)state;
    BwSceneDef scene = channel(20, 1.0f);
    scene.walls.slip = 0.0f;
    scene.walls.side[BW_TOP].velocity = bw_curve_vector(0.5f, 0.0f, 0.0f);
    BwWorld *world = make_world(&scene, 1);
    step_frames(world, 40);
    double worst = 0.0;
    for (int y = 0; y < 20; y++)
        worst = fmax(worst, fabs((double)frame_u(frame_of(world), 3, y) - 0.5 * (y + 0.5) / 20.0));
    gate("couette_error", worst, GATE_BELOW, 1e-5);
    bw_world_destroy(world);
}

// Right after gas in even motion meets its walls, they take from the layer beside them in proportion to their
// grip.
static void half_slip_halves_the_drag(void **state)
{
    (void)state;
    BwSceneDef scene = channel(16, 0.05f);
    scene.fps = 1e4f;
    BwFillDef fill = bw_fill_def_default();
    fill.shape = (BwShape){.kind = BW_SHAPE_BOX, .a = {-9.0f, -9.0f, -9.0f}, .b = {9.0f, 9.0f, 9.0f}};
    fill.velocity = bw_vec3(0.1f, 0.0f, 0.0f);
    scene.fills = &fill;
    scene.fill_count = 1;
    double lost[3];
    for (int n = 0; n < 3; n++) {
        scene.walls.slip = 0.5f * (float)n;
        BwWorld *world = make_world(&scene, 1);
        step_frames(world, 1);
        lost[n] = 0.1 - (double)frame_u(frame_of(world), 3, 0);
        bw_world_destroy(world);
    }
    gate("slip_loses_speed", fabs(lost[2]), GATE_BELOW, 1e-7);
    gate("half_slip_drag_over_full", lost[1] / lost[0], GATE_BELOW, 0.51);
    gate("half_slip_drag_over_full_at_least", lost[1] / lost[0], GATE_ABOVE, 0.49);
}

// The largest speed under a push G is G H^2 / (8 nu); the walls stand anywhere between the samples.
static double poiseuille_error(int n, float low, float high)
{
    BwSceneDef scene = channel(n, 1.0f);
    BwForceDef push = bw_force_def_default();
    push.acceleration = bw_curve_vector(8.0f, 0.0f, 0.0f);
    scene.forces = &push;
    scene.force_count = 1;
    scene.walls.slip = 0.0f;
    BwObstacleDef plates[2] = {bw_obstacle_def_default(), bw_obstacle_def_default()};
    plates[0].shape = (BwShape){.kind = BW_SHAPE_BOX, .a = {-9.0f, -9.0f, -9.0f}, .b = {9.0f, low, 9.0f}};
    plates[1].shape = (BwShape){.kind = BW_SHAPE_BOX, .a = {-9.0f, high, -9.0f}, .b = {9.0f, 9.0f, 9.0f}};
    scene.obstacles = plates;
    scene.obstacle_count = low > 0.0f ? 2 : 0;
    BwWorld *world = make_world(&scene, 1);
    step_frames(world, 10);
    double worst = 0.0, middle = 0.5 * (double)(low + high), half = 0.5 * (double)(high - low);
    for (int y = 0; y < n; y++) {
        double at = (y + 0.5) / n - middle, exact = 4.0 * (half * half - at * at);
        if (fabs(at) < half)
            worst = fmax(worst, fabs((double)frame_u(frame_of(world), 3, y) - exact));
    }
    bw_world_destroy(world);
    return worst / (4.0 * half * half);
}

static void poiseuille_is_second_order(void **state)
{
    (void)state;
    double coarse = poiseuille_error(8, 0.0f, 1.0f), fine = poiseuille_error(32, 0.0f, 1.0f);
    gate("poiseuille_error_32", fine, GATE_BELOW, 1.1e-3);
    gate("poiseuille_order", 0.5 * log2(coarse / fine), GATE_ABOVE, 1.95);
    coarse = poiseuille_error(16, 0.137f, 0.891f);
    fine = poiseuille_error(64, 0.137f, 0.891f);
    gate("poiseuille_between_solids_error_64", fine, GATE_BELOW, 2e-3);
    gate("poiseuille_between_solids_order", 0.5 * log2(coarse / fine), GATE_ABOVE, 1.6);
}

// A cylinder turns in a round hole at rest: the speed around is a r + b / r.
static double turning_cylinder_error(int n)
{
    const float inner = 0.15f, outer = 0.4f, spin = 1.0f;
    BwSceneDef scene = smoke_scene(2, 1.0f / (float)n);
    scene.fps = 2.0f;
    scene.steps = 10;
    scene.smoke.viscosity = 0.05f;
    set_box(&scene, 1.0f, 1.0f, 0.0f);
    scene.walls.slip = 0.0f;
    BwShape block[2] = {{.kind = BW_SHAPE_BOX, .a = {-9.0f, -9.0f, -9.0f}, .b = {9.0f, 9.0f, 9.0f}},
                        ball(0.5f, 0.5f, 0.0f, outer)};
    BwObstacleDef obstacles[2] = {bw_obstacle_def_default(), bw_obstacle_def_default()};
    obstacles[0].shape = (BwShape){.kind = BW_SHAPE_DIFFERENCE, .parts = block, .part_count = 2};
    obstacles[1].shape = ball(0.0f, 0.0f, 0.0f, inner);
    obstacles[1].motion.position = bw_curve_vector(0.5f, 0.5f, 0.0f);
    obstacles[1].motion.spin = bw_curve_vector(0.0f, 0.0f, spin);
    scene.obstacles = obstacles;
    scene.obstacle_count = 2;
    BwWorld *world = make_world(&scene, 1);
    step_frames(world, 3);
    double b = (double)spin / (1.0 / (double)(inner * inner) - 1.0 / (double)(outer * outer)),
           a = -b / (double)(outer * outer), worst = 0.0;
    for (int y = 0; y < n; y++) { // u on the vertical line through the middle
        double r = (y + 0.5) / n - 0.5;
        if (fabs(r) < (double)inner || fabs(r) > (double)outer)
            continue;
        double exact = -(a * r + b / r), u = (double)frame_u(frame_of(world), n / 2, y);
        worst = fmax(worst, fabs(u - exact));
    }
    bw_world_destroy(world);
    return worst / (double)(spin * inner);
}

static void a_turning_cylinder_drags_the_gas_round(void **state)
{
    (void)state;
    double coarse = turning_cylinder_error(32), fine = turning_cylinder_error(64);
    gate("turning_cylinder_error_64", fine, GATE_BELOW, 0.006);
    gate("turning_cylinder_order", log2(coarse / fine), GATE_ABOVE, 1.6);
}

static BwResult taylor_green(void *user, BwVec3 at, float value[4], BwError *err)
{
    (void)user;
    (void)err;
    value[0] = sinf(at.x) * cosf(at.y);
    value[1] = -cosf(at.x) * sinf(at.y);
    return BW_OK;
}

// The vortices die as exp(-2 nu k^2 t).
static void taylor_green_decays_as_it_should(void **state)
{
    (void)state;
    enum { N = 64 };
    const float pi = 3.14159265f;
    BwSceneDef scene = smoke_scene(2, 2.0f * pi / N);
    scene.fps = 2.0f;
    scene.steps = 20;
    scene.smoke.viscosity = 0.1f;
    set_box(&scene, 2.0f * pi, 2.0f * pi, 0.0f);
    scene.walls.periodic[0] = scene.walls.periodic[1] = true;
    scene.initial.velocity.function = taylor_green;
    BwWorld *world = make_world(&scene, 2);
    step_frames(world, 4);
    const BwFrame *frame = frame_of(world);
    double peak = (double)frame_u(frame, N / 4, 0) / cos(0.5 * (double)scene.cell);
    double rate = -log(peak) / frame->time;
    gate("taylor_green_rate_error", fabs(rate / 0.2 - 1.0), GATE_BELOW, 0.02);
    bw_world_destroy(world);
}

// Gas without viscosity between walls that stick: the layer at the lid goes with it, the one at the floor
// rests.
static void walls_hold_gas_without_viscosity(void **state)
{
    (void)state;
    BwSceneDef scene = channel(16, 0.0f);
    scene.fps = 100.0f;
    scene.walls.slip = 0.0f;
    scene.walls.side[BW_TOP].velocity = bw_curve_vector(0.5f, 0.0f, 0.0f);
    BwWorld *world = make_world(&scene, 1);
    step_frames(world, 3);
    assert_float_equal(frame_u(frame_of(world), 3, 15), 0.5f, 1e-6f);
    assert_float_equal(frame_u(frame_of(world), 3, 14), 0.0f, 1e-6f);
    assert_float_equal(frame_u(frame_of(world), 3, 0), 0.0f, 1e-6f);
    bw_world_destroy(world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(couette_flow_is_a_straight_line),
        cmocka_unit_test(half_slip_halves_the_drag),
        cmocka_unit_test(poiseuille_is_second_order),
        cmocka_unit_test(a_turning_cylinder_drags_the_gas_round),
        cmocka_unit_test(taylor_green_decays_as_it_should),
        cmocka_unit_test(walls_hold_gas_without_viscosity),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
