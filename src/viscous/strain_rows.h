// The matrix of a level row by row, for floats and doubles: forces of the lines from velocities, and sums of
// forces on faces (viscous/viscous_level.h). A row is eight cells along x.
#pragma once

#include "viscous/viscous_level.h"

#include <string.h>

typedef float BwFloatRow __attribute__((vector_size(BW_TILE * sizeof(float))));
typedef int32_t BwRowBits __attribute__((vector_size(BW_TILE * sizeof(int32_t)))); // all ones where so

#define NUMBER     float
#define INTEGER    int32_t
#define NAME(name) float_##name
#include "viscous/strain_row_functions.h"
#undef NUMBER
#undef INTEGER
#undef NAME

#define NUMBER     double
#define INTEGER    int64_t
#define NAME(name) double_##name
#include "viscous/strain_row_functions.h"
#undef NUMBER
#undef INTEGER
#undef NAME
