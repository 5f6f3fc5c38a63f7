// The larger and the smaller of two numbers as single instructions; fmaxf and fminf are not, because of what
// they make of NaN.
#pragma once

static inline float bw_larger(float a, float b)
{
    return a > b ? a : b;
}

static inline float bw_smaller(float a, float b)
{
    return a < b ? a : b;
}
