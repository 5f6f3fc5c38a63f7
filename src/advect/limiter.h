// The limiter of MacCormack advection (Selle, Fedkiw, Kim, Liu and Rossignac 2008): the corrected value is
// clamped to the smallest and the largest of the samples that the first pass interpolated between, so that no
// new extremum appears. bw_interpolate_linear_and_range (advect/interpolation.h) finds those; the cubic
// scheme limits its own slopes there. Beside solids, advect/limits_beside_solids.c finds the range instead.
#pragma once

#include <stdbool.h>

// Advected forward again, the advected value should be the old one; half of the difference is its error.
// `result` holds what came forward, and becomes the corrected value. Where low > high there are no limits,
// and the advected value stands. Returns what the clamping added in all.
static inline float bw_correct_and_limit(float *restrict result, const float *restrict old,
                                         const float *restrict advected, const float *restrict low,
                                         const float *restrict high, int count)
{
    float clipped = 0.0f;
    for (int n = 0; n < count; n++) {
        float wanted = advected[n] + 0.5f * (old[n] - result[n]);
        float value = wanted > low[n] ? wanted : low[n];
        value = value < high[n] ? value : high[n];
        bool has_limits = low[n] <= high[n];
        result[n] = has_limits ? value : advected[n];
        clipped += has_limits ? value - wanted : 0.0f;
    }
    return clipped;
}
