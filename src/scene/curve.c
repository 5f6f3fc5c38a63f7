// Values over time: constants, keys, functions.
#include "scene/curve.h"

#include "base/need.h"

#include <math.h>
#include <string.h>

// Straight lines between keys, or steps; held before the first and after the last.
static void value_from_keys(const BwCurve *curve, double time, float value[4])
{
    const BwKey *keys = curve->keys;
    int next = 0;
    while (next < curve->key_count && keys[next].time <= time)
        next++;
    if (next == 0 || next == curve->key_count) {
        memcpy(value, keys[next == 0 ? 0 : next - 1].value, sizeof keys->value);
        return;
    }
    const BwKey *low = &keys[next - 1], *high = &keys[next];
    bool is_held = curve->kind == BW_CURVE_STEPS;
    float blend = is_held ? 0.0f : (float)((time - low->time) / (high->time - low->time));
    for (int c = 0; c < 4; c++)
        value[c] = low->value[c] + blend * (high->value[c] - low->value[c]);
}

static BwResult value_from_function(const BwCurve *curve, double time, float value[4], BwError *err)
{
    BW_TRY(curve->function(curve->user, time, value, err));
    for (int c = 0; c < curve->components; c++)
        if (!isfinite(value[c]))
            return bw_fail(err, BW_ERR_DEF, "a function of time gave %g at t = %g s", (double)value[c], time);
    return BW_OK;
}

static BwResult value_from_place(const BwCurve *curve, BwVec3 p, double time, float value[4], BwError *err)
{
    BW_TRY(curve->place_function(curve->user, p, time, value, err));
    for (int c = 0; c < curve->components; c++)
        if (!isfinite(value[c]))
            return bw_fail(err, BW_ERR_DEF, "a function of place gave %g at (%g, %g, %g), t = %g s",
                           (double)value[c], (double)p.x, (double)p.y, (double)p.z, time);
    return BW_OK;
}

BwResult bw_curve_at(const BwCurve *curve, double time, float value[4], BwError *err)
{
    return bw_curve_at_place(curve, bw_vec3(0.0f, 0.0f, 0.0f), time, value, err);
}

BwResult bw_curve_at_place(const BwCurve *curve, BwVec3 point, double time, float value[4], BwError *err)
{
    BW_TRY(bw_need(curve, "the curve", err));
    BW_TRY(bw_need(value, "the place for the curve's value", err));
    memset(value, 0, 4 * sizeof *value);
    if (!isfinite(time))
        return bw_fail(err, BW_ERR_DEF, "a curve was asked for its value at t = %g s", time);
    switch (curve->kind) {
    case BW_CURVE_NONE:
        return BW_OK;
    case BW_CURVE_CONSTANT:
        memcpy(value, curve->value, sizeof curve->value);
        return BW_OK;
    case BW_CURVE_KEYS:
    case BW_CURVE_STEPS:
        value_from_keys(curve, time, value);
        return BW_OK;
    case BW_CURVE_FUNCTION:
        return value_from_function(curve, time, value, err);
    case BW_CURVE_PLACE:
        return value_from_place(curve, point, time, value, err);
    }
    return BW_OK;
}

BwResult bw_curve_number_at(const BwCurve *curve, double time, float otherwise, float *value, BwError *err)
{
    float values[4];
    *value = otherwise;
    if (!bw_curve_is_given(curve))
        return BW_OK;
    BW_TRY(bw_curve_at(curve, time, values, err));
    *value = values[0];
    return BW_OK;
}

BwResult bw_curve_vector_at(const BwCurve *curve, double time, BwVec3 *vector, BwError *err)
{
    float values[4];
    BW_TRY(bw_curve_at(curve, time, values, err));
    *vector = bw_vec3(values[0], values[1], values[2]);
    return BW_OK;
}

bool bw_curve_may_be(const BwCurve *curve, float value)
{
    if (curve->kind == BW_CURVE_CONSTANT)
        return curve->value[0] == value;
    bool is_list = curve->kind == BW_CURVE_KEYS || curve->kind == BW_CURVE_STEPS;
    bool is_found = curve->kind == BW_CURVE_FUNCTION || curve->kind == BW_CURVE_PLACE;
    for (int n = 0; is_list && n < curve->key_count; n++)
        is_found |= curve->keys[n].value[0] == value;
    return is_found;
}
