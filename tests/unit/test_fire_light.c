// The light of a fire's lamps behind the edge of a plate: whole shadow, none, and what is between.
#include "gate.h"

#include "render/fire_light.h"

#include <math.h>

// A lamp 0.1 m in radius 1 m above the ground, a thin plate half way up over all places with x < 0: by
// similar triangles the shadow of the lamp's middle ends at x = 0, that of its rim at x = 0.1.
static float light_at(double x)
{
    static BwShape plate;
    plate =
        (BwShape){.kind = BW_SHAPE_BOX, .a = bw_vec3(-3.0f, 0.49f, -3.0f), .b = bw_vec3(0.0f, 0.5f, 3.0f)};
    BwFrameSolid solid = {.shape = &plate, .pose = {{0.0f, 0.0f, 0.0f}, bw_quat_identity()}};
    BwFrame frame = {.dimension = 3, .solids = &solid, .solid_count = 1};
    BwFireLight fire = {.count = 1,
                        .lamps = {{.place = {0.0, 1.0, 0.0}, .intensity = {1.0f, 1.0f, 1.0f}, .size = 0.1f}}};
    BwSolids solids = {.allocator = bw_allocator_or_default((BwAllocator){0})};
    const double place[3] = {x, 0.0, 0.0};
    float shaded[3], clear[3];
    bw_fire_light_at(&fire, &solids, place, bw_vec3(0.0f, 1.0f, 0.0f), clear);
    assert_int_equal(bw_solids_set(&solids, &frame, false, 1.0f, NULL), BW_OK);
    bw_fire_light_at(&fire, &solids, place, bw_vec3(0.0f, 1.0f, 0.0f), shaded);
    bw_solids_free(&solids);
    return shaded[0] / clear[0];
}

// The share of a disc of radius 1 beyond a straight edge at x.
static double disc_beyond(double x)
{
    x = fmin(fmax(x, -1.0), 1.0);
    return (acos(x) - x * sqrt(1.0 - x * x)) / M_PI;
}

static void shadows_are_soft(void **state)
{
    (void)state;
    double worst = 0.0, sum = 0.0;
    for (int n = -40; n <= 40; n++) {
        double x = 0.005 * n, error = (double)light_at(x) - disc_beyond(-x / 0.1);
        worst = fmax(worst, fabs(error));
        sum += error / 81.0;
    }
    gate("fire_light.share", worst, GATE_BELOW, 0.08); // two and a half of 32 rays
    gate("fire_light.mean", fabs(sum), GATE_BELOW, 0.01);
    assert_true(light_at(-0.12) == 0.0f && light_at(-1.0) == 0.0f); // thin as the plate is
    assert_true(light_at(0.12) == 1.0f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(shadows_are_soft)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
