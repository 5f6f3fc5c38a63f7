// The larger and the smaller of two numbers as single instructions; fmaxf and fminf are not, because of what
// they make of NaN.
#pragma once

#include <float.h>
#include <math.h>

static inline float bw_larger(float a, float b)
{
    return a > b ? a : b;
}

static inline float bw_smaller(float a, float b)
{
    return a < b ? a : b;
}

// The speed whose square, found in double, is past the floats: the largest float at most, unless a component
// is infinite.
static inline float bw_speed_of_square(double square)
{
    double speed = sqrt(square);
    return (float)(isinf(speed) || speed < (double)FLT_MAX ? speed : (double)FLT_MAX);
}
