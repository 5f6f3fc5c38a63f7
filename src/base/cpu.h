// Instruction sets that the engine is compiled for, side by side (cmake/cpus.cmake), and which one works.
#pragma once

#include "base/error.h"

// From the plainest to the best; the twin of one lane (grid/lanes.h) comes last and is only taken by name.
typedef enum BwCpu { BW_CPU_BASELINE, BW_CPU_V3, BW_CPU_V4, BW_CPU_SCALAR, BW_CPU_COUNT } BwCpu;

// The best that both this build and this processor have, or what BILLOW_CPU of the environment names. Fails
// where that is unknown, or not to be had.
BwResult bw_cpu_choose(BwCpu *cpu, BwError *err);
