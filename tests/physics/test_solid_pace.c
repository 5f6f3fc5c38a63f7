// Obstacles set the pace of steps before the fluid has felt them: at the start, from rest within a run, and
// where a frame leads them past the fluid altogether.
#include "liquid_run.h"

// A tank half full of water or of thin smoke, and a ball in it.
typedef struct Tank {
    BwSceneDef scene;
    BwFillDef fill;
    BwObstacleDef ball;
} Tank;

static void fill_tank(Tank *tank, BwFluid fluid, BwVec3 center)
{
    float h = 1.0f / 24.0f;
    tank->scene = fluid == BW_FLUID_LIQUID ? liquid_scene(2, h, BW_LIQUID_APIC) : smoke_scene(2, h);
    tank->scene.cfl = 0.5f;
    set_box(&tank->scene, 1.0f, 1.0f, 0.0f);
    tank->fill = fill_corner(1.0f, 0.5f, 1.0f);
    tank->ball = solid_of(ball(center.x, center.y, 0.0f, 0.15f));
    tank->scene.fills = &tank->fill;
    tank->scene.fill_count = 1;
    tank->scene.obstacles = &tank->ball;
    tank->scene.obstacle_count = 1;
}

// Rests until half a second, then goes at 10 m/s for 0.06 s.
static const BwKey late_keys[] = {{0.5, {0.2f, 0.25f, 0.0f}}, {0.56, {0.8f, 0.25f, 0.0f}}};

// Goes there and back within a frame, so that both its ends look alike.
static BwResult dart(void *user, double time, float value[4], BwError *err)
{
    (void)user, (void)err;
    double phase = fmod(24.0 * time, 1.0);
    value[0] = 0.2f + 0.3f * (float)fmin(phase, 1.0 - phase);
    value[1] = 0.25f;
    value[2] = 0.0f;
    return BW_OK;
}

typedef struct Case {
    const char *name;
    BwMotionDef motion;
    BwVec3 center;
    double speed; // m/s, of its fastest bit
    int frame;    // in which it moves so
} Case;

// How many cells the fastest bit of the ball crosses in the longest step of the frame, over cfl.
static double pace_of(const Case *one, BwFluid fluid, double *drift)
{
    Tank tank;
    fill_tank(&tank, fluid, one->center);
    tank.ball.motion = one->motion;
    BwWorld *world = make_world(&tank.scene, 1);
    step_frames(world, one->frame);
    BwStats stats = *bw_world_view_stats(world);
    assert_int_equal(stats.steps_capped, 0);
    *drift = stats.volume_drift;
    bw_world_destroy(world);
    return stats.dt_max * one->speed / (double)(tank.scene.cell * tank.scene.cfl);
}

static void steps_follow_obstacles(void **state)
{
    (void)state;
    BwVec3 beside = bw_vec3(0.2f, 0.25f, 0.0f), here = bw_vec3(0.0f, 0.0f, 0.0f);
    double arm = sqrt(0.35 * 0.35 + 0.4 * 0.4);
    const Case cases[] = {
        {"fast_from_the_start", {.velocity = bw_curve_vector(10.0f, 0.0f, 0.0f)}, beside, 10.0, 1},
        {"fast_late", {.position = bw_curve_keys(late_keys, 2, 3)}, here, 10.0, 13},
        {"spinning", {.spin = bw_curve_vector(0.0f, 0.0f, 20.0f)}, beside, 20.0 * arm, 1},
        {"there_and_back", {.position = bw_curve_function(dart, NULL, 3)}, here, 7.2, 1},
    };
    for (size_t n = 0; n < sizeof cases / sizeof *cases; n++)
        for (int fluid = 0; fluid < 2; fluid++) {
            char line[96];
            double drift;
            double pace = pace_of(&cases[n], fluid == 0 ? BW_FLUID_SMOKE : BW_FLUID_LIQUID, &drift);
            snprintf(line, sizeof line, "solid_pace_%s_%s", fluid == 0 ? "smoke" : "liquid", cases[n].name);
            gate(line, pace, GATE_BELOW, 1.001);
            snprintf(line, sizeof line, "solid_pace_drift_%s", cases[n].name);
            if (fluid == 1)
                gate(line, fabs(drift), GATE_BELOW, 0.05);
        }
}

// A frame leads the ball from one side of the tank to the other.
static void steps_too_long_for_obstacles_are_counted(void **state)
{
    (void)state;
    Tank tank;
    fill_tank(&tank, BW_FLUID_LIQUID, bw_vec3(-5.0f, 0.3f, 0.0f));
    tank.ball.motion.velocity = bw_curve_vector(1e4f, 0.0f, 0.0f);
    BwWorld *world = make_world(&tank.scene, 1);
    step_frames(world, 1);
    assert_true(bw_world_view_stats(world)->steps_capped > 0);
    bw_world_destroy(world);
}

// What does not come near the fluid, or jumps, costs no steps.
static void obstacles_elsewhere_cost_no_steps(void **state)
{
    (void)state;
    static const BwKey jump[] = {{0.0, {0.2f, 0.25f, 0.0f}}, {0.02, {0.7f, 0.25f, 0.0f}}};
    Tank tank;
    fill_tank(&tank, BW_FLUID_LIQUID, bw_vec3(-5.0f, 0.3f, 0.0f));
    tank.ball.motion.velocity = bw_curve_vector(-1e4f, 0.0f, 0.0f);
    BwWorld *away = make_world(&tank.scene, 1);
    step_frames(away, 1);
    assert_true(bw_world_view_stats(away)->steps <= 2);
    bw_world_destroy(away);
    fill_tank(&tank, BW_FLUID_SMOKE, bw_vec3(0.0f, 0.0f, 0.0f));
    tank.ball.motion.position = bw_curve_keys(jump, 2, 3);
    tank.ball.motion.position.kind = BW_CURVE_STEPS;
    BwWorld *jumps = make_world(&tank.scene, 1);
    step_frames(jumps, 1);
    assert_int_equal(bw_world_view_stats(jumps)->steps_capped, 0);
    assert_true(bw_world_view_stats(jumps)->steps <= 4);
    bw_world_destroy(jumps);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(steps_follow_obstacles),
        cmocka_unit_test(steps_too_long_for_obstacles_are_counted),
        cmocka_unit_test(obstacles_elsewhere_cost_no_steps),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
