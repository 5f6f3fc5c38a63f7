// Values of a scene's curves as solvers read them, and when what has a start and a stop works.
#pragma once

#include <billow/curve.h>

// The value of a curve, or `otherwise` when it is not given.
BwResult bw_curve_number_at(const BwCurve *curve, double time, float otherwise, float *value, BwError *err);

// The value of a curve of vectors; 0 when it is not given.
BwResult bw_curve_vector_at(const BwCurve *curve, double time, BwVec3 *vector, BwError *err);

// Whether a curve may ever have a value. What a function gives is not known: it may.
bool bw_curve_may_be(const BwCurve *curve, float value);

// Sources and forces work from `start` on and before `stop`.
// Of a frame: times that are no farther apart are one and the same.
#define BW_TIME_ROUNDING 1e-6

static inline bool bw_is_on(double start, double stop, double time)
{
    return time >= start && time < stop;
}
