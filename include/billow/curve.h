/// Values that may change over time: a constant, keys with straight lines between them, or a function.
/// ```c
/// static const BwKey swell[] = {{0.0, {0.0f}}, {1.5, {2.0f}}}; // from 0 to 2 in 1.5 s, then 2
/// BwCurve density = bw_curve_keys(swell, 2, 1), still = bw_curve_vector(0.0f, 0.0f, 0.0f);
/// float value[4];
/// BwError err;
/// if (bw_curve_at(&density, 0.75, value, &err) == BW_OK && bw_curve_is_given(&still))
///     printf("%g\n", (double)value[0]); // 1
/// ```
#pragma once

#include <billow/base.h>
#include <billow/vec.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum BwCurveKind {
    BW_CURVE_NONE,     // not given
    BW_CURVE_CONSTANT, // `value`
    BW_CURVE_KEYS,     // `keys`, linear between, held before the first and after the last
    BW_CURVE_STEPS,    // `keys`, each held until the next
    BW_CURVE_FUNCTION, // `function`
    BW_CURVE_PLACE,    // `place_function`; only for what may differ from place to place
} BwCurveKind;

typedef struct BwKey {
    double time;    // s, ascending
    float value[4]; // as many as the curve has components
} BwKey;

/// Computes the value at `time`. Pure: the same time gives the same value, whatever was asked before.
/// Functions of one scene script share its sandbox, so one thread at a time may ask.
typedef BwResult BwCurveFn(void *user, double time, float value[4], BwError *err);

/// The same for what differs from place to place.
typedef BwResult BwPlaceTimeFn(void *user, BwVec3 point, double time, float value[4], BwError *err);

/// All zero is "not given". Components: 1 (a number), 3 (a vector; 2-D scenes leave z at 0).
typedef struct BwCurve {
    BwCurveKind kind;
    int components;
    float value[4];
    const BwKey *keys;
    int key_count;
    BwCurveFn *function;
    void *user;
    BwPlaceTimeFn *place_function;
} BwCurve;

static inline BwCurve bw_curve_number(float value)
{
    BwCurve curve = {BW_CURVE_CONSTANT, 1, {value, 0.0f, 0.0f, 0.0f}, NULL, 0, NULL, NULL, NULL};
    return curve;
}

static inline BwCurve bw_curve_vector(float x, float y, float z)
{
    BwCurve curve = {BW_CURVE_CONSTANT, 3, {x, y, z, 0.0f}, NULL, 0, NULL, NULL, NULL};
    return curve;
}

/// Straight lines between keys of 1 or 3 components.
static inline BwCurve bw_curve_keys(const BwKey *keys, int key_count, int components)
{
    BwCurve curve = {BW_CURVE_KEYS, components, {0.0f, 0.0f, 0.0f, 0.0f}, keys, key_count, NULL, NULL, NULL};
    return curve;
}

static inline BwCurve bw_curve_function(BwCurveFn *function, void *user, int components)
{
    BwCurve curve = {BW_CURVE_FUNCTION, components, {0.0f, 0.0f, 0.0f, 0.0f}, NULL, 0, function, user, NULL};
    return curve;
}

static inline BwCurve bw_curve_place_function(BwPlaceTimeFn *function, void *user)
{
    BwCurve curve = {BW_CURVE_PLACE, 1, {0.0f, 0.0f, 0.0f, 0.0f}, NULL, 0, NULL, user, function};
    return curve;
}

/// The same of a vector.
static inline BwCurve bw_curve_place_vector(BwPlaceTimeFn *function, void *user)
{
    BwCurve curve = {BW_CURVE_PLACE, 3, {0.0f, 0.0f, 0.0f, 0.0f}, NULL, 0, NULL, user, function};
    return curve;
}

static inline bool bw_curve_is_given(const BwCurve *curve)
{
    return curve->kind != BW_CURVE_NONE;
}

/// The value at a time. Fails when a function fails, runs too long or gives something that is not finite.
/// A curve that is not given gives zeros.
BW_API BwResult bw_curve_at(const BwCurve *curve, double time, float value[4], BwError *err);

/// The value at a place and a time; that of bw_curve_at where the place does not matter. A function of place
/// has no value of time alone: bw_curve_at gives that at the origin.
BW_API BwResult bw_curve_at_place(const BwCurve *curve, BwVec3 point, double time, float value[4],
                                  BwError *err);

#ifdef __cplusplus
}
#endif
