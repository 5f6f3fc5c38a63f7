// The same plume must be the same plume: at another frame rate, at twice the resolution, and with only the
// air near it solved for.
#include "gate.h"
#include "rising_plume.h"

#ifdef FULL_SIZE
enum { CELLS = 64, TALL_CELLS = 256 };
static const PlumeSource tall_vent = PLUME_NARROW_VENT;
#else
// Sixteen cells to the metre make a narrow vent a single cell.
enum { CELLS = 32, TALL_CELLS = 32 };
static const PlumeSource tall_vent = PLUME_VENT;
#endif

static PlumeResult run_now(PlumeDef def)
{
    PlumeResult result = {0};
    BwError err = {0};
    if (!run_plume(&def, &result, &err))
        fail_msg("%s", err.message);
    print_message(
        "source %d, %d cells, %g frames a second, air %d: height %.4f m, fill %.3f, %.1f s, %.1f MB\n",
        (int)def.source, def.cells, (double)def.fps, (int)def.air, result.height, result.fill, result.seconds,
        1e-6 * result.bytes);
    return result;
}

// Each plume is run once, however many it is compared with.
static PlumeResult run(PlumeDef def)
{
    static struct {
        PlumeDef def;
        PlumeResult result;
    } known[32];
    static int count = 0;
    for (int n = 0; n < count; n++)
        if (memcmp(&known[n].def, &def, sizeof def) == 0)
            return known[n].result;
    assert_true(count < 32);
    known[count].def = def;
    known[count].result = run_now(def);
    return known[count++].result;
}

static double apart(double a, double b)
{
    return fabs(a - b) / fmax(a, b);
}

static double between_rates(PlumeAir air, PlumeSource source)
{
    PlumeResult slow = run((PlumeDef){CELLS, 24.0f, air, source});
    PlumeResult fast = run((PlumeDef){CELLS, 60.0f, air, source});
    return apart(slow.height, fast.height);
}

static void frame_rates_agree(void **state)
{
    (void)state;
    gate("plume_height_24_60_fps_box", between_rates(PLUME_WHOLE_BOX, PLUME_BALL), GATE_BELOW, 0.05);
    gate("plume_height_24_60_fps_unbounded", between_rates(PLUME_UNBOUNDED, PLUME_BALL), GATE_BELOW, 0.1);
#ifdef FULL_SIZE
    gate("vent_height_24_60_fps_box", between_rates(PLUME_WHOLE_BOX, PLUME_VENT), GATE_BELOW, 0.05);
    gate("vent_height_24_60_fps_unbounded", between_rates(PLUME_UNBOUNDED, PLUME_VENT), GATE_BELOW, 0.1);
#endif
}

static double between_resolutions(PlumeAir air, PlumeSource source)
{
    PlumeResult coarse = run((PlumeDef){CELLS, 24.0f, air, source});
    PlumeResult fine = run((PlumeDef){2 * CELLS, 24.0f, air, source});
    return apart(coarse.height, fine.height);
}

static void resolutions_agree(void **state)
{
    (void)state;
    gate("plume_height_two_resolutions_box", between_resolutions(PLUME_WHOLE_BOX, PLUME_BALL), GATE_BELOW,
         0.05);
    gate("plume_height_two_resolutions_unbounded", between_resolutions(PLUME_UNBOUNDED, PLUME_BALL),
         GATE_BELOW, 0.1);
#ifdef FULL_SIZE
    // A flat layer of hot air under cold is unstable at every wavelength, the faster the shorter it is.
    // Without viscosity the head that grows on the vent has no height that all grids could agree on.
    print_message("vent, two resolutions: %.3f apart\n", between_resolutions(PLUME_WHOLE_BOX, PLUME_VENT));
    gate("vent_height_two_resolutions_viscous", between_resolutions(PLUME_WHOLE_BOX, PLUME_VISCOUS_VENT),
         GATE_BELOW, 0.05);
#endif
}

static void sparse_air_is_enough(void **state)
{
    (void)state;
    PlumeResult dense = run((PlumeDef){TALL_CELLS, 24.0f, PLUME_WHOLE_BOX, tall_vent});
    PlumeResult sparse = run((PlumeDef){TALL_CELLS, 24.0f, PLUME_NEAR_SMOKE, tall_vent});
    gate("plume_height_sparse_dense", apart(dense.height, sparse.height), GATE_BELOW, 0.1);
#ifdef FULL_SIZE
    gate("plume_memory_sparse_over_dense", sparse.bytes / dense.bytes, GATE_BELOW, 0.2);
#endif
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(frame_rates_agree),
        cmocka_unit_test(resolutions_agree),
        cmocka_unit_test(sparse_air_is_enough),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
