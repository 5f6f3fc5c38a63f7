// The matrix of a level row by row, for floats and doubles: forces of the lines from velocities, and sums of
// forces on faces (viscous/viscous_level.h). A row is eight cells along x; the rows before and behind along y
// and z come by pointer, those along x as a shifted copy.
#pragma once

#include "viscous/viscous_level.h"

#define NUMBER     float
#define NAME(name) float_##name
#include "viscous/strain_row_functions.h"
#undef NUMBER
#undef NAME

#define NUMBER     double
#define NAME(name) double_##name
#include "viscous/strain_row_functions.h"
#undef NUMBER
#undef NAME
