// Smoke against what physics says: buoyant acceleration, and a puff that a wind carries without losing mass
// or its way.
#include "run.h"

// A warm column without ends (periodic along y) between cold air: nothing resists it, so it gains beta (T -
// T_ambient) each second.
static void a_warm_column_accelerates_as_it_should(void **state)
{
    (void)state;
    BwSceneDef scene = smoke_scene(2, 1.0f / 32.0f);
    set_box(&scene, 1.0f, 1.0f, 0.0f);
    scene.walls.periodic[1] = true;
    BwFillDef fill = bw_fill_def_default();
    fill.shape = (BwShape){
        .kind = BW_SHAPE_BOX, .a = bw_vec3(0.375f, -10.0f, -1.0f), .b = bw_vec3(0.625f, 10.0f, 1.0f)};
    fill.density = 0.0f;
    fill.temperature = 333.15f;
    scene.fills = &fill;
    scene.fill_count = 1;
    BwWorld *world = make_world(&scene, 1);
    step_frames(world, 6);
    const BwFrame *frame = frame_of(world);
    double beta = 9.81 / 293.15, expected = beta * 40.0 * frame->time;
    double up = (double)frame_value(frame, bw_frame_field(frame, "v"), 16, 10, 0);
    gate("buoyancy_relative_error", fabs(up / expected - 1.0), GATE_BELOW, 0.01);
    bw_world_destroy(world);
}

// Heavy smoke sinks with alpha times its density.
static void heavy_smoke_sinks(void **state)
{
    (void)state;
    BwSceneDef scene = smoke_scene(2, 1.0f / 32.0f);
    set_box(&scene, 1.0f, 1.0f, 0.0f);
    scene.walls.periodic[1] = true;
    scene.smoke.buoyancy_weight = 0.8f;
    BwFillDef fill = bw_fill_def_default();
    fill.shape = (BwShape){
        .kind = BW_SHAPE_BOX, .a = bw_vec3(0.375f, -10.0f, -1.0f), .b = bw_vec3(0.625f, 10.0f, 1.0f)};
    fill.density = 2.0f;
    scene.fills = &fill;
    scene.fill_count = 1;
    BwWorld *world = make_world(&scene, 1);
    step_frames(world, 6);
    const BwFrame *frame = frame_of(world);
    double up = (double)frame_value(frame, bw_frame_field(frame, "v"), 16, 10, 0);
    gate("weight_relative_error", fabs(up / (-0.8 * 2.0 * frame->time) - 1.0), GATE_BELOW, 0.01);
    bw_world_destroy(world);
}

// A round swirl in the middle of the box.
static BwResult swirl(void *user, BwVec3 at, float value[4], BwError *err)
{
    (void)user;
    (void)err;
    float x = at.x - 0.5f, y = at.y - 0.5f, speed = expf(-(x * x + y * y) / 0.02f);
    value[0] = -10.0f * y * speed;
    value[1] = 10.0f * x * speed;
    return BW_OK;
}

static double energy_after(float confinement, int frames)
{
    BwSceneDef scene = smoke_scene(2, 1.0f / 64.0f);
    set_box(&scene, 1.0f, 1.0f, 0.0f);
    scene.initial.velocity.function = swirl;
    scene.smoke.confinement = confinement;
    BwWorld *world = make_world(&scene, 2);
    step_frames(world, frames);
    const BwFrame *frame = frame_of(world);
    double energy = 0.0;
    for (int a = 0; a < 2; a++) {
        const BwFrameField *u = bw_frame_field(frame, a == 0 ? "u" : "v");
        for (int32_t n = 0; n < frame->tile_count * 64; n++)
            energy += (double)u->values[n] * (double)u->values[n];
    }
    bw_world_destroy(world);
    return energy;
}

// Confinement gives swirl back: more energy is left than without, the more the stronger, and it does not run
// away.
static void confinement_keeps_swirl(void **state)
{
    (void)state;
    double start = energy_after(0.0f, 0), without = energy_after(0.0f, 24), with = energy_after(0.5f, 24);
    gate("confinement_energy_kept_over_plain", with / without, GATE_ABOVE, 1.02);
    gate("confinement_energy_kept", with / start, GATE_BELOW, 1.5);
    gate("plain_energy_kept", without / start, GATE_BELOW, 1.0);
}

// The fastest flow over the speed of the tips of a bar that beats across the end of the air that is solved
// for: the rim of sparse smoke, or the open sides of a box.
static double storm_of_a_bar(bool has_walls, float cfl)
{
    BwSceneDef scene = smoke_scene(2, 1.0f / 64.0f);
    set_box(&scene, 0.5f, 0.5f, 0.0f);
    scene.walls.min = bw_vec3(-0.5f, -0.5f, 0.0f);
    for (int side = 0; side < 4; side++)
        scene.walls.side[side].kind = BW_WALL_OPEN;
    scene.has_walls = has_walls;
    scene.cfl = cfl;
    scene.smoke.envelope = has_walls ? 0.0f : 0.1f;
    BwEmitterDef emitter = bw_emitter_def_default();
    emitter.shape = ball(0.0f, 0.0f, 0.0f, 0.1f);
    emitter.density = bw_curve_number(1.0f);
    emitter.temperature = bw_curve_number(340.0f);
    emitter.velocity = bw_curve_vector(0.0f, 0.7f, 0.0f);
    scene.emitters = &emitter;
    scene.emitter_count = 1;
    BwObstacleDef bar = bw_obstacle_def_default();
    bar.shape = (BwShape){
        .kind = BW_SHAPE_BOX, .a = bw_vec3(-0.34f, -0.02f, -1.0f), .b = bw_vec3(0.34f, 0.02f, 1.0f)};
    bar.motion.position = has_walls ? bw_curve_vector(0.3f, 0.3f, 0.0f) : bw_curve_vector(0.1f, 0.3f, 0.0f);
    bar.motion.spin = bw_curve_vector(0.0f, 0.0f, 22.0f);
    scene.obstacles = &bar;
    scene.obstacle_count = 1;
    BwWorld *world = make_world(&scene, 2);
    float fastest = 0.0f;
    for (int n = 0; n < 12; n++) {
        step_frames(world, 1);
        fastest = fmaxf(fastest, (float)bw_world_view_stats(world)->max_speed);
    }
    bw_world_destroy(world);
    return (double)fastest / (22.0 * 0.34);
}

// The air that the bar drives and draws in is not much faster than its tips, whichever part of it is outside.
static void a_bar_across_the_end_of_the_air_draws_no_storm(void **state)
{
    (void)state;
    gate("rim_fastest_over_tips", storm_of_a_bar(false, 2.0f), GATE_BELOW, 4.0);
    gate("open_sides_fastest_over_tips", storm_of_a_bar(true, 2.0f), GATE_BELOW, 4.0);
    gate("open_sides_fastest_over_tips_cfl_4", storm_of_a_bar(true, 4.0f), GATE_BELOW, 4.0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_warm_column_accelerates_as_it_should),
        cmocka_unit_test(heavy_smoke_sinks),
        cmocka_unit_test(confinement_keeps_swirl),
        cmocka_unit_test(a_bar_across_the_end_of_the_air_draws_no_storm),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
