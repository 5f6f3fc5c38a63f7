// The same plume must be the same plume: at another frame rate, at twice the resolution, and with only the
// air near it solved for.
#include "gate.h"
#include "rising_plume.h"

#define WIDE_VENT 0.125f

#ifdef FULL_SIZE
#define NARROW_VENT 0.06f
enum { CELLS = 64, TALL_CELLS = 256 };
#else
#define NARROW_VENT WIDE_VENT // sixteen cells to the metre make a narrow one a single cell
enum { CELLS = 32, TALL_CELLS = 32 };
#endif

static PlumeResult run(PlumeDef def)
{
    PlumeResult result = {0};
    BwError err = {0};
    if (!run_plume(&def, &result, &err))
        fail_msg("%s", err.message);
    print_message("%d cells, %g frames a second, air %d: height %.4f m, fill %.3f, %.1f s, %.1f MB\n",
                  def.cells, (double)def.fps, (int)def.air, result.height, result.fill, result.seconds,
                  1e-6 * result.bytes);
    return result;
}

static double apart(double a, double b)
{
    return fabs(a - b) / fmax(a, b);
}

static void frame_rates_agree(void **state)
{
    (void)state;
    PlumeResult slow = run((PlumeDef){CELLS, 24.0f, PLUME_WHOLE_BOX, WIDE_VENT});
    PlumeResult fast = run((PlumeDef){CELLS, 60.0f, PLUME_WHOLE_BOX, WIDE_VENT});
    gate("plume_height_24_60_fps_box", apart(slow.height, fast.height), GATE_BELOW, 0.05);
    slow = run((PlumeDef){CELLS, 24.0f, PLUME_UNBOUNDED, WIDE_VENT});
    fast = run((PlumeDef){CELLS, 60.0f, PLUME_UNBOUNDED, WIDE_VENT});
    gate("plume_height_24_60_fps_unbounded", apart(slow.height, fast.height), GATE_BELOW, 0.1);
}

#ifdef FULL_SIZE
static void resolutions_agree(void **state)
{
    (void)state;
    PlumeResult coarse = run((PlumeDef){CELLS, 24.0f, PLUME_WHOLE_BOX, WIDE_VENT});
    PlumeResult fine = run((PlumeDef){2 * CELLS, 24.0f, PLUME_WHOLE_BOX, WIDE_VENT});
    gate("plume_height_two_resolutions_box", apart(coarse.height, fine.height), GATE_BELOW, 0.05);
    coarse = run((PlumeDef){CELLS, 24.0f, PLUME_UNBOUNDED, WIDE_VENT});
    fine = run((PlumeDef){2 * CELLS, 24.0f, PLUME_UNBOUNDED, WIDE_VENT});
    gate("plume_height_two_resolutions_unbounded", apart(coarse.height, fine.height), GATE_BELOW, 0.1);
}

#endif

static void sparse_air_is_enough(void **state)
{
    (void)state;
    PlumeResult dense = run((PlumeDef){TALL_CELLS, 24.0f, PLUME_WHOLE_BOX, NARROW_VENT});
    PlumeResult sparse = run((PlumeDef){TALL_CELLS, 24.0f, PLUME_NEAR_SMOKE, NARROW_VENT});
    gate("plume_height_sparse_dense", apart(dense.height, sparse.height), GATE_BELOW, 0.1);
#ifdef FULL_SIZE
    gate("plume_memory_sparse_over_dense", sparse.bytes / dense.bytes, GATE_BELOW, 0.2);
#endif
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(frame_rates_agree),
#ifdef FULL_SIZE
        cmocka_unit_test(resolutions_agree),
#endif
        cmocka_unit_test(sparse_air_is_enough),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
