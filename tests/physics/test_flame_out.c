// A thin flame is put out by cold gas that comes too near to it, stays out, and is lit again by hot gas.
#include "flame_scene.h"

static const float ratio = 3.0f, speed = 0.5f; // of the flame in all scenes
static const float quench = 0.05f;             // s

static double burnt_in(BwWorld *world, int frames)
{
    double burnt = 0.0;
    for (int n = 0; n < frames; n++) {
        step_frames(world, 1);
        burnt += bw_world_view_stats(world)->burnt;
    }
    return burnt;
}

// Fuel comes in at the left and air, twice as fast, at the right of a box of 1 m; both leave above and below.
// The strain rate on the fuel's side is 2/L (U_f + U_a sqrt(rho_h / rho_f)) (Seshadri and Williams 1978,
// Laminar flow between parallel plates with injection of a reactant at high Reynolds number). Gives what
// burns as a share of a front straight across.
static double burns_at_strain(double strain)
{
    BwSceneDef scene = flame_scene((Flame){2, 1.0f / 32.0f, speed, ratio});
    float inflow = (float)(0.5 * strain / (1.0 + 2.0 / sqrt((double)ratio)));
    BwFillDef fill = fuel_in(box_shape(-1.0f, -1.0f, -1.0f, 0.3f, 9.0f, 9.0f));
    set_box(&scene, 1.0f, 1.0f, 0.0f);
    scene.walls.side[BW_LEFT].kind = scene.walls.side[BW_RIGHT].kind = BW_WALL_INFLOW;
    scene.walls.side[BW_LEFT].velocity = bw_curve_vector(inflow, 0.0f, 0.0f);
    scene.walls.side[BW_RIGHT].velocity = bw_curve_vector(-2.0f * inflow, 0.0f, 0.0f);
    scene.walls.side[BW_BOTTOM].kind = scene.walls.side[BW_TOP].kind = BW_WALL_OPEN;
    BwEmitterDef emitter = bw_emitter_def_default(); // what the left side lets in is fuel
    emitter.shape = box_shape(-1.0f, -1.0f, -1.0f, 0.06f, 9.0f, 9.0f);
    emitter.fuel = bw_curve_number(1.0f);
    scene.emitters = &emitter;
    scene.emitter_count = 1;
    scene.fills = &fill;
    scene.fill_count = 1;
    scene.fire.quench = quench;
    BwWorld *world = make_world(&scene, 1);
    burnt_in(world, 24);
    double share = burnt_in(world, 12) / ((double)speed * 1.0 * 0.5);
    printf("strain %g 1/s, times quench %g: burns %.3f\n", strain, strain * (double)quench, share);
    bw_world_destroy(world);
    return share;
}

static void strain_puts_it_out(void **state)
{
    (void)state;
    double lowest = 1e9;
    for (double strain = 2.5; strain < 100.0; strain *= 2.0)
        if (burns_at_strain(strain) < 0.02) {
            lowest = strain;
            break;
        }
    gate("flame_out.strain_times_quench", lowest * (double)quench, GATE_ABOVE, 0.5);
    gate("flame_out.strain_times_quench", lowest * (double)quench, GATE_BELOW, 4.0);
}

// A ball of fuel that streams up out of a burner. Inert gas at 250 K is held around it for a while, then gas
// at 1500 K beside it.
static BwWorld *ball_of_flame(float time, bool is_relit)
{
    BwSceneDef scene = flame_scene((Flame){2, 1.0f / 32.0f, speed, ratio});
    BwEmitterDef emitters[3];
    for (int n = 0; n < 3; n++)
        emitters[n] = bw_emitter_def_default();
    emitters[0].shape = ball(1.0f, 0.5f, 0.0f, 0.2f);
    emitters[0].fuel = bw_curve_number(1.0f);
    emitters[1].shape = ball(1.0f, 0.5f, 0.0f, 0.6f);
    emitters[1].temperature = bw_curve_number(250.0f);
    emitters[1].start = 0.5;
    emitters[1].stop = 0.9;
    emitters[2].shape = ball(1.25f, 0.5f, 0.0f, 0.15f);
    emitters[2].temperature = bw_curve_number(1500.0f);
    emitters[2].start = 1.5;
    emitters[2].stop = 2.0;
    set_box(&scene, 2.0f, 1.5f, 0.0f);
    for (int side = 0; side < 4; side++)
        scene.walls.side[side].kind = BW_WALL_OPEN;
    scene.fire.quench = time;
    scene.emitters = emitters;
    scene.emitter_count = is_relit ? 3 : 2;
    return make_world(&scene, 1);
}

static void cold_gas_puts_it_out(void **state)
{
    (void)state;
    double alight = 0.0;
    for (int can = 0; can < 2; can++) {
        BwWorld *world = ball_of_flame(can ? 0.02f : 0.0f, true);
        double rate[4]; // m^2/s: alight, in cold gas, after it, lit again
        const int frames[4] = {12, 10, 12, 24};
        for (int n = 0; n < 4; n++)
            rate[n] = burnt_in(world, frames[n]) * 24.0 / frames[n];
        double fuel = bw_world_view_stats(world)->fuel;
        printf("can be put out: %d; burns %.4f, %.4f, %.4f, %.4f m^2/s, fuel %g m^2\n", can, rate[0], rate[1],
               rate[2], rate[3], fuel);
        if (can) {
            gate("flame_out.not_before", fabs(rate[0] / alight - 1.0), GATE_BELOW, 0.02);
            gate("flame_out.after_cold_gas", rate[2] / rate[0], GATE_BELOW, 0.0);
            gate("flame_out.lit_again", rate[3] / rate[0], GATE_ABOVE, 0.3);
        } else
            gate("flame_out.never", rate[2] / rate[0], GATE_ABOVE, 0.8);
        alight = rate[0];
        bw_world_destroy(world);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(strain_puts_it_out),
        cmocka_unit_test(cold_gas_puts_it_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
