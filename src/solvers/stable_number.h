// What both number types need before they take in the kernels.
#pragma once

#include "solvers/stable_box.h"
#include <sched.h>
#include <string.h>

#define BOX_INLINE static inline __attribute__((always_inline))

// A worker that waits for another gives way to it: first in its core, then in the system.
static inline void wait_a_little(int turn)
{
    if (turn % 1024 == 1023)
        sched_yield();
#if defined(__x86_64__) || defined(__i386__)
    else
        __builtin_ia32_pause();
#endif
}
