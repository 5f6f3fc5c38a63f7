// The steps of Stam's box, as compiled for each instruction set (cmake/cpus.cmake).
#include "base/cpu.h"
#include "solvers/stable_box.h"

#if BW_HAS_V3
BwStableFloatStep bw_stable_step_as_float_v3;
BwStableFixedStep bw_stable_step_as_fixed_v3;
#endif
#if BW_HAS_V4
BwStableFloatStep bw_stable_step_as_float_v4;
BwStableFixedStep bw_stable_step_as_fixed_v4;
#endif

static const BwStableSteps steps_of[BW_CPU_COUNT] = {
    [BW_CPU_BASELINE] = {bw_stable_step_as_float, bw_stable_step_as_fixed},
#if BW_HAS_V3
    [BW_CPU_V3] = {bw_stable_step_as_float_v3, bw_stable_step_as_fixed_v3},
#endif
#if BW_HAS_V4
    [BW_CPU_V4] = {bw_stable_step_as_float_v4, bw_stable_step_as_fixed_v4},
#endif
    // Its kernels are plain loops, which the compiler makes vectors of: they need no twin.
    [BW_CPU_SCALAR] = {bw_stable_step_as_float, bw_stable_step_as_fixed},
};

BwResult bw_stable_steps_choose(BwStableSteps *steps, BwError *err)
{
    BwCpu cpu;
    BW_TRY(bw_cpu_choose(&cpu, err));
    *steps = steps_of[cpu];
    return BW_OK;
}
