// Convection between plates (Rayleigh and Benard): gas heated from below rests until the Rayleigh number
// g beta (T_hot - T_cold) L^3 / (nu kappa) passes 1708 (Chandrasekhar 1961: 1707.76, rigid plates, rolls of
// wavelength 2.016 L), then it rolls.
#include "run.h"

enum { HIGH = 16 };

static const float hot = 310.0f, cold = 290.0f, nu = 0.01f, kappa = 0.01f;

// The temperature of gas at rest, and a breath of the roll that grows first.
static BwResult nearly_at_rest(void *user, BwVec3 at, float value[4], BwError *err)
{
    (void)user;
    (void)err;
    const float pi = 3.14159265f;
    value[0] = hot + (cold - hot) * at.y + 0.5f * cosf(pi * at.x) * sinf(pi * at.y);
    return BW_OK;
}

static double energy(BwWorld *world)
{
    const BwFrame *frame = frame_of(world);
    double sum = 0.0;
    for (int a = 0; a < 2; a++) {
        const float *values = bw_frame_field(frame, a == 0 ? "u" : "v")->values;
        for (int c = 0; c < frame->tile_count * 64; c++)
            sum += (double)values[c] * (double)values[c];
    }
    return sum;
}

// How fast a small roll grows, 1/s, once it has found its shape.
static double growth_rate(float rayleigh)
{
    BwSceneDef scene = smoke_scene(2, 1.0f / HIGH);
    scene.fps = 0.1f;
    scene.steps = 30;
    scene.smoke.ambient = 300.0f;
    scene.smoke.viscosity = nu;
    scene.smoke.conductivity = kappa;
    scene.smoke.buoyancy_heat = rayleigh * nu * kappa / (hot - cold);
    set_box(&scene, 2.0f, 1.0f, 0.0f);
    scene.walls.periodic[0] = true;
    scene.walls.slip = 0.0f;
    scene.walls.side[BW_BOTTOM].temperature = bw_curve_number(hot);
    scene.walls.side[BW_TOP].temperature = bw_curve_number(cold);
    scene.initial.temperature.function = nearly_at_rest;
    BwWorld *world = make_world(&scene, 1);
    step_frames(world, 2);
    double early = energy(world);
    step_frames(world, 2);
    double late = energy(world);
    bw_world_destroy(world);
    return 0.5 * log(late / early) / 20.0;
}

static void gas_rolls_above_the_critical_rayleigh_number_only(void **state)
{
    (void)state;
    double weak = growth_rate(1400.0f), strong = growth_rate(2000.0f);
    gate("convection_growth_at_1400", weak, GATE_BELOW, -0.01);
    gate("convection_growth_at_2000", strong, GATE_ABOVE, 0.01);
    double critical = 1400.0 - 600.0 * weak / (strong - weak);
    gate("convection_critical_rayleigh_error", fabs(critical / 1708.0 - 1.0), GATE_BELOW, 0.03);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(gas_rolls_above_the_critical_rayleigh_number_only),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
