// Walls in metres as bounds in whole cells: they grow outwards, and rounding is no reason to grow.
#pragma once

#include <float.h>
#include <math.h>
#include <stdint.h>

// A ten-thousandth of a cell, and what a length and a cell in float are wrong by themselves.
static inline double bw_cell_rounding(double cells)
{
    return 1e-4 + fabs(cells) * (double)FLT_EPSILON;
}

static inline int32_t bw_cell_floor(float meters, float h)
{
    double cells = (double)meters / (double)h;
    return (int32_t)floor(cells + bw_cell_rounding(cells));
}

static inline int32_t bw_cell_ceil(float meters, float h)
{
    double cells = (double)meters / (double)h;
    return (int32_t)ceil(cells - bw_cell_rounding(cells));
}
