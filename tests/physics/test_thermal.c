// A warm thermal in a sealed box: it rises, hits the ceiling and spreads. Nothing comes in and nothing goes
// out, and no total is ever set right: what smoke and heat gain or lose in a hundred steps is the scheme's
// own doing.
#include "run.h"

enum { STEPS = 100 };

static const float ambient = 293.15f;

// Full in the middle, thin over a few cells at the rim, as an emitter leaves it.
static float puff(BwVec3 at)
{
    float dx = at.x - 0.5f, dy = at.y - 0.3f, dz = at.z - 0.5f;
    float away = sqrtf(dx * dx + dy * dy + dz * dz);
    float edge = fminf(fmaxf((0.24f - away) / 0.12f, 0.0f), 1.0f);
    return edge * edge * (3.0f - 2.0f * edge);
}

static BwResult density_at(void *user, BwVec3 at, float value[4], BwError *err)
{
    (void)user, (void)err;
    value[0] = puff(at);
    return BW_OK;
}

static BwResult temperature_at(void *user, BwVec3 at, float value[4], BwError *err)
{
    (void)user, (void)err;
    value[0] = ambient + 60.0f * puff(at);
    return BW_OK;
}

static double total(const BwFrame *frame, const char *name, double background)
{
    const BwFrameField *field = bw_frame_field(frame, name);
    double sum = 0.0;
    for (int32_t n = 0; n < frame->tile_count * 512; n++)
        sum += (double)field->values[n] - background;
    return sum;
}

static void check(const char *scheme, BwAdvection advection)
{
    BwSceneDef scene = smoke_scene(3, 1.0f / 32.0f);
    set_box(&scene, 1.0f, 1.0f, 1.0f);
    scene.initial.density.function = density_at;
    scene.initial.temperature.function = temperature_at;
    scene.smoke.advection = advection;
    scene.smoke.ambient = ambient;
    scene.steps = 1;
    scene.fps = 32.0f;
    BwWorld *world = make_world(&scene, 2);
    double smoke = total(frame_of(world), "density", 0.0), smoke_drift = 0.0;
    double heat = total(frame_of(world), "temperature", (double)ambient), heat_drift = 0.0;
    double fastest = 0.0;
    for (int n = 0; n < STEPS; n++) {
        step_frames(world, 1);
        const BwFrame *frame = frame_of(world);
        smoke_drift = fmax(smoke_drift, fabs(total(frame, "density", 0.0) / smoke - 1.0));
        heat_drift = fmax(heat_drift, fabs(total(frame, "temperature", (double)ambient) / heat - 1.0));
        fastest = fmax(fastest, (double)bw_world_view_stats(world)->max_speed);
    }
    // Over a cell a step at its fastest, and long since spread below the ceiling.
    assert_true(fastest > 1.2);
    char line[64];
    snprintf(line, sizeof line, "thermal_smoke_drift_%s", scheme);
    gate(line, smoke_drift, GATE_BELOW, 0.02);
    snprintf(line, sizeof line, "thermal_heat_drift_%s", scheme);
    gate(line, heat_drift, GATE_BELOW, 0.02);
    bw_world_destroy(world);
}

static void maccormack_keeps_smoke_and_heat(void **state)
{
    (void)state;
    check("maccormack", BW_ADVECT_MACCORMACK);
}

static void reflection_keeps_smoke_and_heat(void **state)
{
    (void)state;
    check("reflection", BW_ADVECT_REFLECTION);
}

static void cubic_keeps_smoke_and_heat(void **state)
{
    (void)state;
    check("cubic", BW_ADVECT_CUBIC);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(maccormack_keeps_smoke_and_heat),
        cmocka_unit_test(reflection_keeps_smoke_and_heat),
        cmocka_unit_test(cubic_keeps_smoke_and_heat),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
