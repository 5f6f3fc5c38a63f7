// What both number types need before they take in the kernels.
#pragma once

#include "base/pipeline.h"
#include "solvers/stable_box.h"
#include <string.h>

#define BOX_INLINE static inline __attribute__((always_inline))
